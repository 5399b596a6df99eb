import { basename, join } from "node:path";
import { appendText, makeDirectory } from "../../base/fs/files.js";
import { closeRepositories } from "../../safety/cage/repository.js";
import { tailText, toScreenLine } from "../../safety/redact/text.js";
import type { CommandPlace } from "../core/caged.js";
import { readOn } from "../core/child.js";
import type { ToolContext, ToolResult } from "../core/define.js";
import { toReadableText } from "../core/output.js";
import { removeOldResults } from "../core/results.js";
import { jsonResult } from "../run/execute.js";
import { toFailureResult } from "../run/scope.js";
import { type Background, createNoticeGate, makeRoom, type Processes, processesOf, ROLLING_CHARS } from "./registry.js";
import { toShellStatus } from "./run.js";
import { type Started, startCommand } from "./script.js";
import { shellOf } from "./shell.js";
import { createPatternWatch, type PatternWatch } from "./watch.js";

/** Source: core part, 17.5. */
const FILE_CHARS = 16 << 20;

export interface BackgroundParams {
  /** As it is shown. */
  readonly command: string;
  /** As it is run. */
  readonly line: string;
  readonly pty: boolean;
  readonly place: Exclude<CommandPlace, { how: "refused" }>;
  readonly notify_on_complete: boolean;
  readonly watch_patterns?: readonly string[] | undefined;
}

/** Start a command that goes on while the conversation does. */
export async function startBackground(
  given: BackgroundParams,
  ctx: ToolContext,
  cwd: string,
  approval: { approval?: string },
): Promise<ToolResult> {
  const processes = processesOf(ctx.state, ctx.ports.spawner);
  const full = makeRoom(processes, ctx.ports.clock.mono());
  if (full !== undefined) return toFailureResult(full);
  const shell = await shellOf(ctx, given.place);
  const id = `proc_${ctx.ports.ids.hex(6)}`;
  const file = await outputFile(ctx, id);
  const cage = shell.cage?.with(closeRepositories(shell.cage.plan));
  const started = await startCommand(ctx, { ...shell, cage }, given.line, { cwd, pty: given.pty, stdin: true });
  const watched = given.notify_on_complete ? undefined : given.watch_patterns;
  processes.hooks ??= { redact: ctx.redact };
  const one = follow(ctx, processes, started, { given, id, file });
  processes.hooks.told?.("process.started", { id, command: given.command, pid: one.child.pid });
  return {
    text: jsonResult({
      output: "Background process started",
      session_id: one.id,
      pid: one.child.pid,
      exit_code: 0,
      error: null,
      ...(given.notify_on_complete ? { notify_on_complete: true } : {}),
      ...(watched === undefined ? {} : { watch_patterns: watched }),
      ...(given.notify_on_complete && given.watch_patterns !== undefined
        ? { watch_patterns_ignored: given.watch_patterns }
        : {}),
      ...approval,
    }),
    exitCode: 0,
  };
}

interface Following {
  readonly given: BackgroundParams;
  readonly id: string;
  readonly file: string;
}

/** Listens at once: output of a process that has ended is dropped by the next turn of the event loop. */
function follow(ctx: ToolContext, processes: Processes, started: Started, { given, id, file }: Following): Background {
  const watch =
    given.notify_on_complete || given.watch_patterns === undefined
      ? undefined
      : createPatternWatch(id, given.watch_patterns);
  const { child } = started;
  const gate = ctx.state.entry<Gate>("process notices", () => ({ pass: createNoticeGate() })).pass;
  const reader: Reader = { ctx, processes, watch, gate, file, pending: Buffer.alloc(0), written: 0 };
  const one: Background = {
    id,
    command: given.command,
    child,
    startedAt: ctx.ports.clock.mono(),
    endedAt: undefined,
    exitCode: undefined,
    reason: undefined,
    endedBy: undefined,
    output: "",
    droppedLines: 0,
    endShown: false,
    notify: given.notify_on_complete,
    done: Promise.resolve(),
  };
  child.onOutput((chunk) => read(reader, one, chunk));
  const done = settle(reader, one, started);
  processes.all.set(id, Object.assign(one, { done }));
  return one;
}

async function outputFile(ctx: ToolContext, id: string): Promise<string> {
  const dir = join(ctx.home.cache, "processes", basename(ctx.resultDir ?? ctx.session)); // it goes with the lineage
  await makeDirectory(dir, 0o700);
  removeOldResults(dir, ctx.ports.clock.now());
  return join(dir, `${id}.log`);
}

interface Gate {
  readonly pass: (now: number) => boolean;
  close?(): Promise<void>;
}

interface Reader {
  readonly ctx: ToolContext;
  readonly processes: Processes;
  readonly watch: PatternWatch | undefined;
  /** Shared by the processes of a conversation. */
  readonly gate: (now: number) => boolean;
  readonly file: string;
  pending: Buffer;
  written: number;
}

/** Whole lines only are redacted and kept, so that no secret is seen in two halves; a private key is one piece. */
function read(reader: Reader, one: Background, chunk: Buffer): void {
  reader.pending = Buffer.concat([reader.pending, chunk]);
  const end = reader.pending.lastIndexOf(10);
  const long = reader.pending.length > 65_536;
  if (end === -1 && !long) return;
  if (!long && /-----BEGIN [A-Z ]*PRIVATE KEY-----(?![\s\S]*-----END)/.test(reader.pending.toString("latin1"))) return;
  const cut = end === -1 ? reader.pending.length : end + 1;
  keep(reader, one, reader.pending.subarray(0, cut));
  reader.pending = Buffer.from(reader.pending.subarray(cut));
}

function keep(reader: Reader, one: Background, bytes: Buffer): void {
  const text = (reader.processes.hooks ?? reader.ctx).redact(toReadableText(bytes));
  const all = one.output + text;
  one.output = tailText(all, ROLLING_CHARS);
  if (all.length > ROLLING_CHARS) one.droppedLines += countLines(all.slice(0, all.length - one.output.length));
  if (reader.written < FILE_CHARS) {
    appendText(reader.file, text, 0o600);
    reader.written += text.length;
  }
  const notice = reader.watch?.see(text.split("\n"), reader.ctx.ports.clock.mono());
  if (reader.watch?.disabled) one.notify = true;
  if (notice !== undefined) tell(reader, one, notice);
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

async function settle(reader: Reader, one: Background, started: Started): Promise<void> {
  const { child } = started;
  const exit = await child.exited;
  await readOn(reader.ctx.ports.clock, child);
  if (reader.pending.length > 0) keep(reader, one, reader.pending);
  await dropState(reader.ctx, started);
  one.endedBy ??= exit.signal ?? undefined;
  one.reason = one.endedBy !== undefined ? "terminated" : exit.code === 0 ? "completed" : "exited";
  one.endedAt = reader.ctx.ports.clock.mono();
  one.exitCode = toShellStatus(exit);
  reader.processes.hooks?.told?.("process.ended", {
    id: one.id,
    command: one.command,
    exit_code: one.exitCode,
    reason: one.reason,
  });
  if (one.notify && !one.endShown) tell(reader, one, endNotice(one));
}

/** No command continues where it ended; only the private file of its state must go. */
async function dropState(ctx: ToolContext, started: Started): Promise<void> {
  try {
    await started.collect();
  } catch (error) {
    ctx.log.warning("the state file of a background process was not removed", { error: String(error) });
  }
}

function tell({ processes, gate, ctx }: Reader, one: Background, text: string): void {
  if (!processes.closing && gate(ctx.ports.clock.mono())) processes.hooks?.notify?.(text, one.id);
}

function endNotice(one: Background): string {
  const how = one.reason === "terminated" ? `terminated by ${one.endedBy ?? "a signal"}` : (one.reason ?? "exited");
  const output = tailText(one.output, 2_000).trim();
  return `[Background process ${one.id} finished: exit code ${one.exitCode ?? -1} (${how}). Command: ${toScreenLine(one.command, 300)} Output: ${output}]`;
}
