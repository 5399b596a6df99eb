import { resolve } from "node:path";
import * as z from "zod";
import { statPath } from "../../base/fs/files.js";
import { programOnPath } from "../../base/process/program-path.js";
import {
  type CommandPlace,
  cageHint,
  chooseCage,
  insideView,
  lineageOf,
  placeFor,
  resolveCagedPath,
} from "../core/caged.js";
import { defineTool, type PermissionAnswer, type ToolContext, type ToolResult } from "../core/define.js";
import { TERMINAL_TIMEOUT } from "../core/keys.js";
import { withTrueValues } from "../core/secrets.js";
import { jsonResult } from "../run/execute.js";
import { liveDirectory, pathOf, toFailureResult, toRefusalResult } from "../run/scope.js";
import { startGitRun } from "./git-line.js";
import { backgroundReason } from "./guard.js";
import { lastCommand, readsOnly } from "./look.js";
import { exitCodeMeaning } from "./meaning.js";
import { type CommandExit, showOutput, waitFor } from "./run.js";
import { startCommand } from "./script.js";
import { shellOf } from "./shell.js";
import { startBackground } from "./start.js";

/** Longest foreground command in seconds, unless TERMINAL_MAX_FOREGROUND_TIMEOUT says otherwise. */
const MAX_FOREGROUND = 600;

const params = z.object({
  command: z.string().min(1).max(100_000).describe("Shell command line."),
  background: z.boolean().default(false).describe("Run it as a background process and return its id at once."),
  timeout: z.number().int().min(1).optional().describe("Seconds, default 180, at most 600 in the foreground."),
  workdir: z.string().optional().describe("Directory for this call only."),
  pty: z.boolean().default(false).describe("Give it a terminal."),
  notify_on_complete: z.boolean().default(false).describe("Background: tell me when it ends."),
  watch_patterns: z
    .array(z.string())
    .max(16)
    .optional()
    .describe("Background: tell me when a line contains one of these."),
  outside: z.boolean().default(false).describe("Run outside the cage. Needs reason and approval."),
  reason: z.string().max(500).optional().describe("Why it has to run outside the cage."),
});

type Params = z.output<typeof params>;
type Running = Exclude<CommandPlace, { how: "refused" }>;

export default defineTool({
  name: "terminal",
  toolset: "terminal",
  description:
    "Run a shell command and get its output and exit code. The working directory and exported variables persist between calls. " +
    "There is no input and no pager. Use background: true for servers and anything that does not end by itself, then the process tool. " +
    "Read, search and edit files with read_file, search_files, patch and write_file instead of cat, grep and sed.",
  params,
  risk: "exec",
  secrets: "asked",
  asks: true,
  effects: (given, state) =>
    !given.background &&
    readsOnly(given.command, given.workdir === undefined ? state.cwd : resolve(state.cwd, given.workdir))
      ? { reads: [`tree:${state.cwd}`], writes: [] }
      : { reads: [], writes: ["terminal", "world"] },
  limits: { ms: 0, chars: 100_000 },
  preview: (given) => given.command.slice(0, 120),
  run,
});

async function run(given: Params, ctx: ToolContext): Promise<ToolResult> {
  const timeout = given.timeout ?? ctx.config.get(TERMINAL_TIMEOUT);
  const early = given.background ? undefined : foregroundRefusal(given, timeout, ctx);
  if (early !== undefined) return refused(early, "error");
  const cwd = given.workdir === undefined ? liveDirectory(ctx) : pathOf(given.workdir, ctx);
  if (given.workdir !== undefined && (await statPath(cwd))?.kind !== "directory")
    return refused(`workdir is not a directory: ${cwd}`, "error");
  if (given.outside && !given.reason?.trim()) return refused("outside: true needs a reason", "error");
  const choice = await chooseCage(ctx);
  if (choice.how === "refused") return refused(choice.message, "error");
  const wish = given.outside && choice.how === "caged" ? { outside: given.reason?.trim() ?? "" } : {};
  const answer = await ctx.permit({ kind: "command", tool: "terminal", command: given.command, cwd, ...wish });
  if (!answer.allowed) return { ...toRefusalResult(answer, { output: "", exit_code: -1 }), exitCode: -1 };
  const opened = answer.clients === undefined ? choice : await chooseCage(ctx, answer.clients);
  const place = placeFor(opened, answer.outside === true);
  if (place.how === "refused") return refused(place.message, "error");
  const at = place.how === "inside" ? insideView(cwd, ctx) : resolveCagedPath(cwd, ctx);
  const line = withTrueValues(given.command, ctx);
  if (!line.ok) return refused(line.why, "error");
  const pty = given.pty && programOnPath("script", ctx.env["PATH"]) !== undefined;
  const approval = { ...approvalOf(answer), ...(given.pty && !pty ? { pty_note: NO_PTY } : {}) };
  if (given.background) return startBackground({ ...given, pty, line: line.text, place }, ctx, at, approval);
  return foreground({ ...given, pty }, ctx, at, { timeout, approval, line: line.text, place });
}

const NO_PTY = "the program script is not installed: the command ran without a terminal";

function foregroundRefusal(given: Params, timeout: number, ctx: ToolContext): string | undefined {
  const most = Number(ctx.env["TERMINAL_MAX_FOREGROUND_TIMEOUT"]) || MAX_FOREGROUND;
  if (timeout > most)
    return `a foreground command may take at most ${most} s; use background: true and the process tool for longer ones`;
  const reason = backgroundReason(given.command);
  return reason === undefined
    ? undefined
    : `this command would not come back: ${reason}. Run it with background: true, then use the process tool`;
}

function refused(error: string, status: "error"): ToolResult {
  const result = toFailureResult(error, { output: "", exit_code: -1, status });
  return { ...result, exitCode: -1 };
}

/** How a command that would have been asked about came to run. */
function approvalOf(answer: Extract<PermissionAnswer, { allowed: true }>): { approval?: string } {
  return answer.by === "" || answer.by === "no risk" || answer.by === "cage" ? {} : { approval: answer.by };
}

async function foreground(
  given: Params,
  ctx: ToolContext,
  cwd: string,
  how: { timeout: number; approval: { approval?: string }; line: string; place: Running },
): Promise<ToolResult> {
  const started = ctx.ports.clock.mono();
  const { place } = how;
  const shell = await shellOf(ctx, place);
  const git =
    place.how === "inside" && !given.pty ? await startGitRun(ctx, { cage: place.cage, shell, cwd }, how.line) : {};
  const command = git.started ?? (await startCommand(ctx, shell, how.line, { cwd, pty: given.pty }));
  const ended = await waitFor(ctx, command.child, how.timeout * 1_000);
  const left = await command.collect();
  if (place.how === "inside") ctx.ports.cages?.expire(lineageOf(ctx));
  if (given.workdir === undefined && left.cwd !== undefined) ctx.state.cwd = left.cwd;
  const note = noteOf(ended, how.timeout);
  const shown = await showOutput(ctx, ended, {
    note,
    command: given.command,
    where: place.how === "inside" ? "cage" : "local",
  });
  const meaning =
    ended.how === "exited" && ended.code !== 0 ? exitCodeMeaning(lastCommand(given.command), ended.code) : undefined;
  const result = {
    output: shown.output,
    exit_code: ended.code,
    error: note?.slice(1, -1) ?? null,
    cwd: ctx.state.cwd,
    duration_ms: Math.round(ctx.ports.clock.mono() - started),
    ...(meaning === undefined ? {} : { exit_code_meaning: meaning }),
    ...how.approval,
    ...(shown.truncated ? { truncated: true, output_file: shown.output_file } : {}),
    ...(place.how === "inside" && ended.how === "exited" && ended.code !== 0
      ? cageHint(how.line, shown.output, place.cage)
      : {}),
    ...(ended.code !== 0 && git.hint !== undefined ? { hint: git.hint } : {}),
    ...hintOf(shown.output, ended),
    ...(left.moved === undefined || left.moved.length === 0 ? {} : { moved_away: left.moved }),
  };
  const text = ctx.whole === true ? JSON.stringify(result) : jsonResult(result);
  return { text, exitCode: ended.code, status: ended.how === "interrupted" ? "interrupted" : "ok" };
}

function noteOf(ended: CommandExit, timeout: number): string | undefined {
  if (ended.how === "timeout") return `[Command timed out after ${timeout}s]`;
  return ended.how === "interrupted" ? "[Command interrupted]" : undefined;
}

function hintOf(output: string, ended: CommandExit): { hint?: string } {
  if (ended.how === "timeout") return { hint: "give a longer timeout, or run it with background: true" };
  if (/sudo: (a (terminal|password) is required|no tty present)/.test(output)) {
    return { hint: "sudo needs a password and no one can type one here; ask the user to run this command" };
  }
  return ended.code === 127 && /not found/.test(output)
    ? { hint: "a program of this command is not installed or not on PATH" }
    : {};
}
