import { basename, dirname, isAbsolute, join } from "node:path";
import { statPath } from "../../base/fs/files.js";
import { programOnPath } from "../../base/process/program-path.js";
import type { SpawnSpec } from "../../base/process/spawn.js";
import { childEnv } from "../../safety/redact/env.js";
import { plainText } from "../../safety/redact/text.js";
import { chooseCage, insideView } from "../core/caged.js";
import { readOn } from "../core/child.js";
import type { ToolContext } from "../core/define.js";
import { createOutputBuffer } from "../core/output.js";

/** A program that checks texts or files. */
export interface LintCheck {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Given on its standard input. */
  readonly text?: string;
  readonly ms: number;
  /** Output that is kept; default 256 kB. */
  readonly bytes?: number;
}

/** What a program said; undefined: it is not installed, or was ended. */
export interface CheckSaid {
  readonly code: number;
  readonly output: string;
}

export async function runCheck(ctx: ToolContext, check: LintCheck): Promise<CheckSaid | undefined> {
  const { spawner, clock } = ctx.ports;
  try {
    const env: Readonly<Record<string, string>> = { ...childEnv(ctx.env, ctx.config), NODE_OPTIONS: "" };
    const choice = await chooseCage(ctx);
    if (choice.how === "refused") return undefined;
    const caged = choice.how === "caged";
    if (caged && !isAbsolute(check.file) && programOnPath(check.file, env["PATH"]) === undefined) return undefined;
    const args = caged ? check.args.map((word) => insideView(word, ctx)) : check.args;
    const spec: SpawnSpec = {
      file: check.file,
      args,
      cwd: check.cwd,
      env,
      stdin: "pipe",
      stderr: "stdout",
      endsWithOwner: true,
    };
    const child = await spawner.spawn(caged ? choice.cage.wrap(spec) : spec);
    const output = createOutputBuffer(check.bytes ?? 1 << 18);
    child.onOutput((chunk) => output.add(chunk));
    if (check.text !== undefined) child.write(check.text);
    child.closeInput();
    const kill = () => void spawner.signal({ group: child.pid }, "SIGKILL");
    const cancel = clock.after(check.ms, kill);
    ctx.signal.addEventListener("abort", kill, { once: true });
    if (ctx.signal.aborted) kill();
    const exit = await child.exited;
    await readOn(clock, child);
    cancel();
    ctx.signal.removeEventListener("abort", kill);
    return exit.signal !== null || exit.code === null
      ? undefined
      : { code: exit.code, output: plainText(output.bytes().toString()) };
  } catch {
    return undefined; // not installed, or not to be started
  }
}

/** Core part, 18.2. */
const PROGRAM_MS = 30_000;

/** Errors that a program finds in a file on the disk; `missing` when the program is not installed. */
export type FileChecker = (path: string, ctx: ToolContext) => Promise<readonly string[] | "missing">;

/** Programs that look at files as they lie in their project. Left out where a language server does the same. */
export const FILE_CHECKERS: Readonly<Record<string, FileChecker>> = {
  ts: tsc,
  tsx: tsc,
  mts: tsc,
  cts: tsc,
  go: goVet,
  rs: rustfmt,
};

async function tsc(path: string, ctx: ToolContext): Promise<readonly string[] | "missing"> {
  const project = await projectOf(path, ctx.state.launchDir);
  const args = [
    "--noEmit",
    "--pretty",
    "false",
    ...(project === undefined ? ["--skipLibCheck", path] : ["-p", project]),
  ];
  const cwd = project ?? dirname(path);
  const said = await runCheck(ctx, { file: "tsc", args, cwd, ms: PROGRAM_MS });
  if (said === undefined) return "missing";
  const own = new RegExp(`(?:^|/)${escaped(basename(path))}\\(\\d+,\\d+\\): error `);
  return said.code === 0 ? [] : linesOf(said.output).filter((line) => own.test(line));
}

/** The nearest directory with a `tsconfig.json`, not above the one in which the conversation began when the file is inside it. */
async function projectOf(path: string, launchDir: string): Promise<string | undefined> {
  for (let dir = dirname(path); dirname(dir) !== dir; dir = dirname(dir)) {
    if ((await statPath(join(dir, "tsconfig.json"))) !== undefined) return dir;
    if (dir === launchDir) return undefined;
  }
  return undefined;
}

async function goVet(path: string, ctx: ToolContext): Promise<readonly string[] | "missing"> {
  const said = await runCheck(ctx, { file: "go", args: ["vet", "."], cwd: dirname(path), ms: PROGRAM_MS });
  if (said === undefined) return "missing";
  const own = new RegExp(`(?:^|[/\\s])${escaped(basename(path))}:\\d+`);
  return said.code === 0 ? [] : linesOf(said.output).filter((line) => own.test(line));
}

/** It also tells what it would format otherwise; only what it cannot read is an error. */
async function rustfmt(path: string, ctx: ToolContext): Promise<readonly string[] | "missing"> {
  const said = await runCheck(ctx, {
    file: "rustfmt",
    args: ["--check", "--edition", "2021", path],
    cwd: dirname(path),
    ms: PROGRAM_MS,
  });
  if (said === undefined) return "missing";
  return linesOf(said.output).filter(
    (line, index, all) => line.startsWith("error") || (all[index - 1] ?? "").startsWith("error"),
  );
}

const linesOf = (text: string) => text.split("\n").filter((line) => line.trim() !== "");
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
