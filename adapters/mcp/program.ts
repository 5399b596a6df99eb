import { isAbsolute, resolve } from "node:path";
import { systemCode } from "../../lib/base/errors.js";
import { statPath } from "../../lib/base/fs/files.js";
import type { Child, SpawnSpec } from "../../lib/base/process/spawn.js";
import { McpConnectError } from "../../lib/contracts/mcp/connection.js";
import type { McpEntry } from "../../lib/contracts/mcp/entry.js";
import { findProgram } from "../lsp/programs.js";
import type { McpParts } from "./parts.js";
import { refusalOf } from "./refusal.js";

/** What a server gets of the owner's environment (extensions part, 2.3). */
const PASSED = /^(PATH|HOME|USER|LOGNAME|LANG|LC_ALL|TERM|SHELL|TMPDIR|XDG_\w+)$/;

/** The whole environment of a server. */
export function serverEnv(
  entry: Pick<McpEntry, "env">,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const passed = Object.entries(env).filter((pair): pair is [string, string] => {
    const [name, value] = pair;
    return value !== undefined && PASSED.test(name);
  });
  return { ...Object.fromEntries(passed), ...entry.env };
}

/** Start the program of an entry. @throws McpConnectError */
export async function startProgram(name: string, entry: McpEntry, parts: McpParts): Promise<Child> {
  const refused = refusalOf(entry, parts);
  if (refused !== undefined) throw new McpConnectError("refused", refused);
  const env = serverEnv(entry, parts.env);
  const home = env["HOME"] ?? parts.home.dir;
  const cwd = directoryOf(entry.cwd, home);
  if ((await statPath(cwd))?.kind !== "directory")
    throw new McpConnectError("missing", `its working directory ${cwd} does not exist; change cwd of the entry`);
  const command = entry.command ?? "";
  const file = await findProgram(command.includes("/") ? directoryOf(command, home, cwd) : command, env);
  if (file === undefined)
    throw new McpConnectError("missing", `${command} is not installed or not on PATH; install it or change command`);
  const spec: SpawnSpec = {
    file,
    args: entry.args,
    cwd,
    env,
    forPerson: true,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    endsWithOwner: true,
  };
  try {
    return await parts.spawner.spawn(entry.cage ? await caged(name, spec, parts) : spec);
  } catch (error) {
    if (error instanceof McpConnectError) throw error;
    const kind = systemCode(error) === "ENOENT" ? "missing" : "failed";
    throw new McpConnectError(kind, `${command} cannot be started (${systemCode(error) ?? String(error)})`, error);
  }
}

function directoryOf(path: string | undefined, home: string, base: string = home): string {
  if (path === undefined) return home;
  if (path === "~" || path.startsWith("~/")) return resolve(home, path.slice(2));
  return isAbsolute(path) ? path : resolve(base, path);
}

async function caged(name: string, spec: SpawnSpec, { cages }: McpParts): Promise<SpawnSpec> {
  const choice = await cages?.choose({ directory: spec.cwd, lineage: `mcp-${name}`, env: spec.env, shown: [] });
  if (choice?.how === "refused") throw new McpConnectError("failed", choice.message);
  return choice?.how === "caged" ? choice.cage.wrap(spec) : spec;
}
