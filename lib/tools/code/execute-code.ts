import { join } from "node:path";
import * as z from "zod";
import { withLinkedSignal } from "../../base/async/abort-any.js";
import { allowManyListeners } from "../../base/async/aborted.js";
import { makeTemporaryDirectory } from "../../base/fs/tree.js";
import { programOnPath } from "../../base/process/program-path.js";
import type { SpawnSpec } from "../../base/process/spawn.js";
import type { Config } from "../../contracts/config/config.js";
import type { Cage } from "../../safety/cage/cage.js";
import { moveStraySettings } from "../../safety/cage/repository.js";
import { childEnv } from "../../safety/redact/env.js";
import { placeholders } from "../../safety/redact/redact.js";
import { cutMiddleBytes } from "../../safety/redact/text.js";
import { chooseCage, insideView, placeFor, resolveCagedPath } from "../core/caged.js";
import { CODE } from "../core/code-keys.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { TOOL_OUTPUT_BYTES } from "../core/keys.js";
import { toReadableText } from "../core/output.js";
import { withTrueValues } from "../core/secrets.js";
import { jsonResult } from "../run/execute.js";
import { liveDirectory, toFailureResult, toRefusalResult } from "../run/scope.js";
import { JAVASCRIPT } from "./javascript.js";
import { PYTHON } from "./python.js";
import { type CodeExit, waitForCode } from "./run.js";
import { type ServedCalls, serve } from "./serve.js";

const KEPT =
  /^(PATH|HOME|USER|LANG|LC_.*|TERM|TMP.*|TEMP|SHELL|LOGNAME|XDG_.*|NODE_PATH|PYTHONPATH|VIRTUAL_ENV|CONDA.*)$/;

/** Environment of code: what other children may have, reduced to what interpreters need (core part, 25.3). */
function codeEnv(env: Readonly<Record<string, string>>, config: Config): Record<string, string> {
  return Object.fromEntries(Object.entries(childEnv(env, config)).filter(([name]) => KEPT.test(name)));
}

const LANGUAGES = ["javascript", "python"] as const;
type Language = (typeof LANGUAGES)[number];

const params = z.object({
  code: z.string().min(1).max(1_000_000).describe("The program. Only what it prints is seen."),
  language: z.enum(LANGUAGES).default("javascript").describe("Default javascript."),
});

type Params = z.output<typeof params>;

/** Functions of the generated module; those that the conversation does not have fail when they are called. */
const FUNCTIONS = ["web_search", "web_extract", "read_file", "write_file", "search_files", "patch", "terminal"];

const ABOUT_JAVASCRIPT =
  "Run a program that calls tools itself, for loops over many files or results and for work between calls. " +
  'JavaScript is an ES module: import { read_file, terminal } from "agent-tools"; each takes one object and returns a promise of its parsed result. ' +
  "Import every function that you call. ";
const ABOUT_PYTHON = "Python: from agent_tools import read_file; keyword arguments. ";
const ABOUT_ALL =
  "There: read_file, write_file, search_files, patch, terminal, web_search, web_extract as far as you have them, and jsonParse, shellQuote, retry, sleep.";

export default defineTool({
  name: "execute_code",
  toolset: "code_execution",
  description: `${ABOUT_JAVASCRIPT}${ABOUT_PYTHON}${ABOUT_ALL}`,
  params,
  risk: "exec",
  secrets: "asked",
  adapt: ({ env }, schema) => (pythonOf(env) === undefined ? withoutPython(schema) : {}),
  effects: () => ({ reads: [], writes: ["world"] }),
  limits: { ms: 0, chars: 100_000 },
  preview: ({ code, language }) => `${language}: ${code.trim().split("\n")[0] ?? ""}`,
  run,
});

function withoutPython(schema: Readonly<Record<string, unknown>>) {
  const properties = schema["properties"] as Readonly<Record<string, unknown>>; // the schema of `params`
  const { language: _, ...others } = properties;
  return { description: `${ABOUT_JAVASCRIPT}${ABOUT_ALL}`, schema: { ...schema, properties: others } };
}

/** Python of an active virtual environment, else of the PATH. */
function pythonOf(env: Readonly<Record<string, string | undefined>>, mode?: "strict"): string | undefined {
  const active = mode === "strict" ? undefined : env["VIRTUAL_ENV"];
  return (
    (active === undefined ? undefined : programOnPath("python3", join(active, "bin"))) ??
    programOnPath("python3", env["PATH"])
  );
}

async function run(given: Params, ctx: ToolContext): Promise<ToolResult> {
  if (ctx.call === undefined) return toFailureResult("this conversation cannot run code");
  const strict = ctx.config.get(CODE.mode) === "strict";
  const program = programFor(given.language, ctx, strict);
  if (program === undefined) return toFailureResult("python3 is not on PATH; write the program in javascript");
  const choice = await chooseCage(ctx);
  if (choice.how === "refused") return toFailureResult(choice.message);
  const allowed = await allowedCode(given, ctx, choice.how === "caged");
  if ("text" in allowed) return allowed;
  const revealed = { ...given, code: allowed.code };
  const place = placeFor(choice, allowed.outside);
  const cage = place.how === "inside" ? place.cage : undefined;
  const live = liveDirectory(ctx);
  if (!strict)
    return execute(revealed, ctx, {
      ...program,
      cage,
      cwd: cage === undefined ? resolveCagedPath(live, ctx) : insideView(live, ctx),
    });
  const empty = await makeTemporaryDirectory("agent-code", cage?.plan.tmp);
  try {
    return await execute(revealed, ctx, {
      ...program,
      cage,
      cwd: cage === undefined ? empty.path : insideView(empty.path, ctx),
    });
  } finally {
    await empty.remove();
  }
}

interface AllowedCode {
  /** With the true values of secrets. */
  readonly code: string;
  /** A person or a rule lets it run outside the cage. */
  readonly outside: boolean;
}

/** The code, once it may run (core part, 20.8). */
async function allowedCode(
  { code, language }: Params,
  ctx: ToolContext,
  caged: boolean,
): Promise<AllowedCode | ToolResult> {
  const program = language === "javascript" ? "node" : "python3";
  const command = `${program} <<'${markFor(code)}'\n${code}\n${markFor(code)}`;
  const answer = await ctx.permit({
    kind: "command",
    tool: "execute_code",
    command,
    cwd: ctx.state.cwd,
    code: language,
    caged,
  });
  if (!answer.allowed) return toRefusalResult(answer);
  const outside = answer.outside === true;
  if (placeholders(code).length === 0) return { code, outside };
  const line = withTrueValues(code, ctx);
  return line.ok ? { code: line.text, outside } : toFailureResult(line.why);
}

/** The end of a here-document that no line of the code is. */
function markFor(code: string): string {
  let mark = "EOF";
  while (code.split("\n").includes(mark)) mark += "_";
  return mark;
}

interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

/** A program in its directory, as it is known where it runs. */
interface Started extends Program {
  readonly cwd: string;
  readonly cage: Cage | undefined;
}

function programFor(language: Language, ctx: ToolContext, strict: boolean): Program | undefined {
  if (language === "javascript")
    return {
      file: process.execPath,
      args: ["--max-old-space-size=512", "--experimental-vm-modules", "-e", JAVASCRIPT],
    };
  const file = strict ? pythonOf(ctx.env, "strict") : pythonOf(ctx.env);
  return file === undefined ? undefined : { file, args: ["-u", "-X", "utf8", "-c", PYTHON] };
}

async function execute(given: Params, ctx: ToolContext, { cage, ...program }: Started): Promise<ToolResult> {
  const { clock, spawner } = ctx.ports;
  const { call } = ctx;
  const seconds = ctx.config.get(CODE.timeout);
  const started = clock.mono();
  const stop = new AbortController();
  allowManyListeners(stop.signal); // of the calls that the code makes
  const spec: SpawnSpec = { ...program, env: codeEnv(ctx.env, ctx.config), channel: true, endsWithOwner: true };
  const child = await spawner.spawn(cage === undefined ? spec : cage.wrap(spec));
  const { channel } = child;
  if (channel === undefined || call === undefined) {
    await spawner.endGroup(child.pid, 0);
    return toFailureResult("this system gives a process no pipes beside its own");
  }
  const served = serve(channel, given.code, {
    names: FUNCTIONS,
    offered: new Set(ctx.offered),
    max: ctx.config.get(CODE.calls),
    call: (name, args) => withLinkedSignal([ctx.signal, stop.signal], (either) => call(name, args, either)),
  });
  const ended = await waitForCode(ctx, child, seconds * 1_000);
  stop.abort();
  if (cage !== undefined) moveStraySettings(cage.plan);
  await served.settled();
  return answer(given.language, ctx, { ended, served, seconds, durationMs: clock.mono() - started });
}

interface Told {
  readonly ended: CodeExit;
  readonly served: ServedCalls;
  /** Time limit. */
  readonly seconds: number;
  readonly durationMs: number;
}

const STDERR_BYTES = 10_000;

function answer(language: Language, ctx: ToolContext, { ended, served, seconds, durationMs }: Told): ToolResult {
  const status = ended.how === "exited" ? (ended.code === 0 ? "success" : "error") : ended.how;
  const error = errorOf(ended, seconds);
  const text = jsonResult({
    status,
    language,
    output: outputOf(ctx, ended),
    tool_calls_made: served.made,
    duration_seconds: Math.round(durationMs / 10) / 100,
    ...(error === undefined ? {} : { error }),
    ...(served.failed.length === 0 ? {} : { failed_calls: served.failed.slice(0, 20) }),
  });
  return { text, status: status === "success" ? "ok" : status === "interrupted" ? "interrupted" : "error" };
}

function errorOf({ how, code }: CodeExit, seconds: number): string | undefined {
  if (how === "timeout") return `the code was ended after ${seconds} s (code_execution.timeout)`;
  if (how === "interrupted") return "interrupted by the user";
  return code === 0 ? undefined : `the code ended with exit code ${code}`;
}

/** Errors name lines of the code alone: those of the runtime around it are left out. */
const ownLines = (text: string): string =>
  text
    .replace(/file:\/\/[^\s:]*\/code\.mjs/g, "code.mjs")
    .replace(/^ {4}at .*(\(node:|node:internal|\[eval\]).*\n?/gm, "")
    .replace(/\n*^Node\.js v\S+\n?$/m, "");

/** What the code wrote: standard output, and behind a mark standard error. */
function outputOf(ctx: ToolContext, { stdout, stderr }: CodeExit): string {
  const shown = (bytes: Buffer, max: number) => cutMiddleBytes(ctx.redact(toReadableText(bytes)).trimEnd(), max);
  const errors = shown(Buffer.from(ownLines(stderr.toString("utf8"))), STDERR_BYTES);
  const output = shown(stdout, ctx.config.get(TOOL_OUTPUT_BYTES));
  if (errors === "") return output;
  return `${output}${output === "" ? "" : "\n"}--- stderr ---\n${errors}`;
}
