import { isAbsolute, join, resolve } from "node:path";
import { statPath } from "../../lib/base/fs/files.js";
import { expandTilde } from "../../lib/base/tilde.js";
import { isWithin } from "../../lib/safety/paths/paths.js";
import type { ServerDefinition } from "./definition.js";
import type { Override } from "./settings.js";

type Env = Readonly<Record<string, string | undefined>>;

async function isProgram(path: string): Promise<boolean> {
  const facts = await statPath(path);
  return facts?.kind === "file" && (facts.mode & 0o111) !== 0;
}

/** A program by its name on the PATH, or by its path. */
export async function findProgram(name: string, env: Env): Promise<string | undefined> {
  if (name.includes("/")) {
    const path = resolve(expandTilde(name, env["HOME"] ?? "/"));
    return (await isProgram(path)) ? path : undefined;
  }
  for (const dir of (env["PATH"] ?? "").split(":")) {
    // An entry that is relative would mean another program in every directory.
    if (isAbsolute(dir) && (await isProgram(join(dir, name)))) return join(dir, name);
  }
  return undefined;
}

/**
 * An environment whose PATH has no directory of the work tree: what runs unasked must not come from the files that are being edited. A work
 * tree that holds the user's home says nothing about what is below it.
 */
export function outside(env: Readonly<Record<string, string>>, tree: string): Readonly<Record<string, string>> {
  const { PATH: path, HOME: home } = env;
  if (path === undefined || (home !== undefined && isWithin(home, tree))) return env;
  const kept = path.split(":").filter((dir) => isAbsolute(dir) && !isWithin(resolve(dir), tree));
  return { ...env, PATH: kept.join(":") };
}

/** Directory of a server that the program itself installed. */
export const installDir = (home: string, id: string): string => join(home, "lsp", id);

/** The words with which a server is started: those of the settings, else its program on the PATH, else the installed one. */
export async function commandOf(
  definition: ServerDefinition,
  override: Override,
  place: { readonly home: string; readonly env: Env },
): Promise<readonly string[] | undefined> {
  const [name, ...args] = override.command ?? definition.command;
  if (name === undefined) return undefined;
  const found = await findProgram(name, { ...place.env, ...override.env });
  if (found !== undefined) return [found, ...args];
  if (override.command !== undefined) return undefined;
  for (const folder of ["node_modules/.bin", "bin"]) {
    const installed = join(installDir(place.home, definition.id), folder, name);
    if (await isProgram(installed)) return [installed, ...args];
  }
  return undefined;
}
