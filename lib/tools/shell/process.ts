import * as z from "zod";
import { baseName, findProgramEntry, INTERPRETERS, SHELLS } from "../../safety/options/programs.js";
import { tailText } from "../../safety/redact/text.js";
import { readsCommands } from "../../safety/shell/client-commands.js";
import { waitForFirstEnd } from "../core/child.js";
import { defineTool, type Permission, type ToolContext, type ToolResult } from "../core/define.js";
import { withTrueValues } from "../core/secrets.js";
import { jsonResult } from "../run/execute.js";
import { toFailureResult, toRefusalResult } from "../run/scope.js";
import { lastCommand } from "./look.js";
import { type Background, endBackgroundProcess, processesOf } from "./registry.js";

const params = z.object({
  action: z.enum(["list", "poll", "log", "wait", "kill", "write", "submit", "close"]),
  session_id: z.string().optional().describe("proc_... of the process; not for list."),
  data: z.string().optional().describe("Text for write, or a line for submit."),
  timeout: z.number().int().min(1).max(180).optional().describe("Seconds for wait, default and at most 180."),
  offset: z.number().int().min(0).optional().describe("First line for log; default: the last lines."),
  limit: z.number().int().min(1).max(2_000).optional().describe("Lines for log, default 200."),
});

type Params = z.output<typeof params>;

const CHANGES: ReadonlySet<Params["action"]> = new Set(["write", "submit", "kill", "close"]);
const WAIT_SECONDS = 180;

export default defineTool({
  name: "process",
  toolset: "terminal",
  description:
    "Look after background processes started by terminal with background: true. list them; poll one for its state and last output; log shows lines; " +
    "wait until it ends; kill it; write text, submit a line, or close its input.",
  params,
  risk: "exec",
  secrets: "asked",
  effects: (given) =>
    CHANGES.has(given.action) ? { reads: [], writes: ["terminal", "world"] } : { reads: ["terminal"], writes: [] },
  limits: { ms: 0, chars: 100_000 },
  preview: (given) => [given.action, given.session_id ?? ""].join(" ").trim(),
  run,
});

async function run(given: Params, ctx: ToolContext): Promise<ToolResult> {
  const { all } = processesOf(ctx.state, ctx.ports.spawner);
  if (given.action === "list") return json({ processes: [...all.values()].map((one) => summary(one, ctx)) });
  if (given.session_id === undefined) return toFailureResult(`session_id is needed for ${given.action}`);
  const one = all.get(given.session_id);
  if (one === undefined)
    return toFailureResult(`no background process ${given.session_id}; list shows them`, { status: "not_found" });
  switch (given.action) {
    case "poll":
      return poll(one, ctx);
    case "log":
      return log(one, given);
    case "wait":
      return wait(one, given.timeout ?? WAIT_SECONDS, ctx);
    case "kill":
      return kill(one, ctx);
    default:
      return input(one, given, ctx);
  }
}

const json = (value: Readonly<Record<string, unknown>>): ToolResult => ({ text: jsonResult(value) });

function summary(one: Background, ctx: ToolContext): Record<string, unknown> {
  const until = one.endedAt ?? ctx.ports.clock.mono();
  return {
    session_id: one.id,
    command: one.command,
    status: one.exitCode === undefined ? "running" : "exited",
    pid: one.child.pid,
    uptime_seconds: Math.round((until - one.startedAt) / 1_000),
    ...(one.exitCode === undefined ? {} : { exit_code: one.exitCode, completion_reason: one.reason }),
    ...(one.endedBy === undefined ? {} : { termination_source: one.endedBy }),
  };
}

function poll(one: Background, ctx: ToolContext): ToolResult {
  noteShown(one);
  return json({ ...summary(one, ctx), output_preview: tailText(one.output, 1_000) });
}

function log(one: Background, given: Params): ToolResult {
  noteShown(one);
  const lines = one.output.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const limit = given.limit ?? 200;
  const total = one.droppedLines + lines.length;
  const first =
    given.offset === undefined ? Math.max(0, lines.length - limit) : Math.max(0, given.offset - one.droppedLines);
  const shown = lines.slice(first, first + limit);
  const from = one.droppedLines + first;
  return json({
    output: shown.join("\n"),
    total_lines: total,
    showing: shown.length === 0 ? "no lines" : `lines ${from + 1}-${from + shown.length} of ${total}`,
  });
}

async function wait(one: Background, seconds: number, ctx: ToolContext): Promise<ToolResult> {
  const how = await waitForFirstEnd(ctx, one.done, seconds * 1_000);
  if (how === "exited") {
    noteShown(one);
    return json({
      status: "exited",
      session_id: one.id,
      exit_code: one.exitCode,
      completion_reason: one.reason,
      output: tailText(one.output, 2_000),
    });
  }
  const output = tailText(one.output, 1_000);
  if (how === "interrupted")
    return { ...json({ status: "interrupted", session_id: one.id, output }), status: "interrupted" };
  return json({ status: "timeout", session_id: one.id, output, timeout_note: `still running after ${seconds} s` });
}

async function kill(one: Background, ctx: ToolContext): Promise<ToolResult> {
  noteShown(one);
  if (one.exitCode !== undefined)
    return json({ status: "already_exited", session_id: one.id, exit_code: one.exitCode });
  one.endShown = true;
  await endBackgroundProcess(ctx.ports.spawner, one);
  return json({ status: "killed", session_id: one.id, exit_code: one.exitCode });
}

async function input(one: Background, given: Params, ctx: ToolContext): Promise<ToolResult> {
  if (one.exitCode !== undefined)
    return toFailureResult(`${one.id} has ended with exit code ${one.exitCode}`, { status: "already_exited" });
  if (given.action === "close") {
    one.child.closeInput();
    return json({ status: "closed", session_id: one.id });
  }
  const data = given.data ?? "";
  const answer = await ctx.permit(permissionFor(one, data, ctx));
  if (!answer.allowed) return toRefusalResult(answer, { session_id: one.id });
  const line = withTrueValues(data, ctx);
  if (!line.ok) return toFailureResult(line.why, { session_id: one.id });
  one.child.write(given.action === "submit" ? `${line.text}\n` : line.text);
  return json({
    status: "written",
    session_id: one.id,
    bytes: Buffer.byteLength(data) + (given.action === "submit" ? 1 : 0),
  });
}

/** What a shell reads are commands; an interpreter reads code, and a client like sqlite3 commands of its own: judged as its input on the line. */
function permissionFor(one: Background, data: string, ctx: ToolContext): Permission {
  const cwd = ctx.state.cwd;
  const program = lastCommand(one.command)[0] ?? "";
  if (SHELLS.has(baseName(program))) return { kind: "command", tool: "process", command: data, cwd };
  if (findProgramEntry(INTERPRETERS, program) !== undefined || readsCommands(program))
    return { kind: "command", tool: "process", command: `${program} <<'EOF'\n${data}\nEOF`, cwd };
  return { kind: "tool", tool: "process", command: `input to ${one.command}: ${data}`, cwd };
}

/** The model knows the end now, so no notice repeats it. */
function noteShown(one: Background): void {
  if (one.exitCode !== undefined) one.endShown = true;
}
