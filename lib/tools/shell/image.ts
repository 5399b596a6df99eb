import { join } from "node:path";
import { makeDirectory, removeFile, writeAtomic } from "../../base/fs/files.js";
import type { Home } from "../../base/home.js";
import { programOnPath } from "../../base/process/program-path.js";
import type { Ms } from "../../base/units.js";
import type { Cage } from "../../safety/cage/cage.js";
import { childEnv } from "../../safety/redact/env.js";
import { readOn } from "../core/child.js";
import type { ToolContext } from "../core/define.js";
import { INIT_FILES, SOURCE_BASHRC } from "../core/keys.js";
import { createOutputBuffer } from "../core/output.js";
import { parseExports, quoteWord } from "./exports.js";

/** A login shell that takes longer is given up; commands then run in the plain environment. */
const IMAGE_WITHIN: Ms = 10_000;
const MARK = "\0agent-image\0";

/** The shell of one conversation: what its next command starts with. */
export interface Shell {
  /** `bash`, or `sh` without it. */
  readonly file: "bash" | "sh";
  /** Private directory for the files that commands hand their state back through. In a cage it is the shell's own, and writable there. */
  readonly dir: string;
  /** File with functions and aliases of the login shell; undefined without any. */
  readonly image: string | undefined;
  /** What its commands run in; undefined: nothing. */
  cage: Cage | undefined;
  env: Record<string, string>;
  /** The files through which commands handed their state back are gone. */
  removed: Promise<void>;
  /** Remove such a file. Never rejects: one that stays, whose exports may hold secrets, is reported in the log. */
  remove(file: string): Promise<void>;
}

/** Where the shells of a home hand their state back; the command line of each names a file there. */
export const shellDir = (home: Pick<Home, "runDir">): string => join(home.runDir, "shell");

/** Start a login shell once and keep its exports, functions and aliases. */
export async function takeImage(ctx: ToolContext): Promise<Shell> {
  const dir = shellDir(ctx.home);
  await makeDirectory(dir, 0o700);
  const base: Record<string, string> = {
    ...childEnv(ctx.env, ctx.config),
    AGENT_HOME: ctx.home.dir,
    AGENT_SESSION_ID: ctx.session,
  };
  const file = programOnPath("bash", base["PATH"]) === undefined ? "sh" : "bash";
  const printed = file === "bash" ? await printImage(ctx, base) : undefined;
  const rest = {
    cage: undefined,
    removed: Promise.resolve(),
    remove: (stateFile: string) => remove(ctx, stateFile),
  };
  if (printed === undefined) return { file, dir, image: undefined, env: base, ...rest };
  const [exports = "", functions = "", aliases = ""] = printed.split("\0");
  const env = { ...base, ...childEnv(parseExports(exports), ctx.config) };
  return {
    file,
    dir,
    image: await keepDefinitions(ctx, dir, functions, aliases),
    env: withoutShellState(env),
    ...rest,
  };
}

function remove({ log }: ToolContext, file: string): Promise<void> {
  return removeFile(file).catch((error: unknown) =>
    log.error("the state of a command stays on disk", { file, error: String(error) }),
  );
}

/** Variables that each shell sets for itself. */
export function withoutShellState(env: Record<string, string>): Record<string, string> {
  const { SHLVL: _level, _: _last, OLDPWD: _old, PWD: _dir, ...rest } = env;
  return rest;
}

async function printImage(ctx: ToolContext, env: Record<string, string>): Promise<string | undefined> {
  const files = [...(ctx.config.get(SOURCE_BASHRC) ? ["~/.bashrc"] : []), ...ctx.config.get(INIT_FILES)];
  const sources = files.map((file) =>
    file.startsWith("~/") ? `"$HOME"/${quoteWord(file.slice(2))}` : quoteWord(file),
  );
  const script = [
    ...sources.map((file) => `[ -r ${file} ] && . ${file} >/dev/null 2>&1`),
    `printf '\\0agent-image\\0'; export -p; printf '\\0'; declare -f; printf '\\0'; alias -p; printf '\\0'`,
  ].join("\n");
  const output = createOutputBuffer();
  const child = await ctx.ports.spawner.spawn({
    file: "bash",
    args: ["-l", "-c", script],
    cwd: ctx.state.launchDir,
    env,
    stderr: "ignore",
    endsWithOwner: true,
  });
  child.onOutput((chunk) => output.add(chunk));
  const cancel = ctx.ports.clock.after(IMAGE_WITHIN, () => ctx.ports.spawner.signal({ group: child.pid }, "SIGKILL"));
  await child.exited;
  await readOn(ctx.ports.clock, child);
  cancel();
  const text = output.bytes().toString();
  const at = text.lastIndexOf(MARK);
  return at === -1 ? undefined : text.slice(at + MARK.length);
}

async function keepDefinitions(
  ctx: ToolContext,
  dir: string,
  functions: string,
  aliases: string,
): Promise<string | undefined> {
  if (functions.trim() === "" && aliases.trim() === "") return undefined;
  const path = join(dir, `image-${ctx.ports.ids.hex(6)}.sh`);
  await writeAtomic(path, `shopt -s expand_aliases\n${aliases}\n${functions}\n`, 0o600, false);
  return path;
}

/** Remove what `takeImage` left on disk. */
export async function dropImage(shell: Shell): Promise<void> {
  if (shell.image !== undefined) await removeFile(shell.image);
}
