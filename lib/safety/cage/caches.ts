import { join } from "node:path";
import { isWithin, userHomeOf } from "../paths/paths.js";
import { realOf } from "./repository.js";

/** Directories of the user's home in which package managers keep what they download, and the variable that names another one. */
const CACHES: readonly (readonly [dir: string, variable: string])[] = [
  [".cache", "XDG_CACHE_HOME"],
  [".npm", "npm_config_cache"],
  [".yarn", "YARN_GLOBAL_FOLDER"],
  [".gradle", "GRADLE_USER_HOME"],
  ["go/pkg", "GOMODCACHE"],
];

/** Where they are when the home is without any: below the `/tmp` of the lineage, so that a package is downloaded once a conversation. */
const FOLDER = "/tmp/.caches";

/**
 * Variables for package managers whose directory in the home does not exist or is read-only in the cage: `npm pack` and `go build` fail where they
 * can make none.
 */
export function findCacheVariables(
  env: Readonly<Record<string, string>>,
  writable: readonly string[],
): Record<string, string> {
  const home = userHomeOf(env);
  const given = new Set(Object.keys(env).map((name) => name.toLowerCase()));
  const found: Record<string, string> = {};
  for (const [dir, variable] of CACHES) {
    const real = realOf(join(home, dir));
    const isThere = real !== undefined && writable.some((one) => isWithin(real, one));
    if (!isThere && !given.has(variable.toLowerCase())) found[variable] = `${FOLDER}/${dir.replace(/^\./, "")}`;
  }
  return found;
}
