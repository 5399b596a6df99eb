import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import { statPath } from "../base/fs/files.js";
import type { McpRoot } from "../contracts/mcp/connection.js";
import type { McpEntry } from "../contracts/mcp/entry.js";

/**
 * Directories that a server learns: those of the open sessions, and those among its arguments, because some servers narrow themselves to what they
 * learn. Undefined: it does not learn any.
 */
export function rootsOf(
  entry: Pick<McpEntry, "roots" | "args">,
  directories: () => readonly string[],
  userHome: string | undefined,
): (() => Promise<readonly McpRoot[]>) | undefined {
  const { roots, args } = entry;
  if (roots === "none") return undefined;
  return async () => {
    const named = roots === "auto" ? [...directories(), ...args.filter((arg) => isAbsolute(arg))] : roots;
    const found: McpRoot[] = [];
    for (const path of new Set(named.map((one) => atHome(one, userHome))))
      if ((await statPath(path).catch(() => undefined))?.kind === "directory")
        found.push({ uri: pathToFileURL(path).href });
    return found;
  };
}

const atHome = (path: string, userHome: string | undefined): string =>
  userHome !== undefined && (path === "~" || path.startsWith("~/")) ? `${userHome}${path.slice(1)}` : path;
