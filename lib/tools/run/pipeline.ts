import { nextTurn } from "../../base/async/next-turn.js";
import type { CallStatus } from "../../contracts/chat/chat.js";
import type { ToolCall } from "../../contracts/models/model.js";
import { toScreenLine } from "../../safety/redact/text.js";
import { visible } from "../../safety/shell/visible.js";
import { parseArguments } from "../core/coerce.js";
import type { AnyTool, Effects } from "../core/define.js";
import { effectsOf } from "../core/effects.js";
import { argumentsFor } from "../core/secrets.js";
import { fitBatch, type Spill, shareOf } from "../core/spill.js";
import type { CallDeps, CallOutcome, ReadyCall } from "./call.js";
import { executeCall } from "./execute.js";
import { type RequestedCall, requestCall } from "./hooked.js";
import { callsInside } from "./inside.js";
import { nameCall } from "./name.js";
import { type CallJob, scheduleJobs } from "./schedule.js";
import { targetsNamedIn } from "./targets.js";

export type { CallDeps, CallOutcome } from "./call.js";

/**
 * Run the calls of one response. A call has no effect before its `onStart` has resolved, and `onEnd` is awaited before its place is given to
 * another, so what they commit is durable first. What has no effect goes on meanwhile: looking whether a call is permitted, and calls that
 * write nothing, whose `onEnd` may come first. Calls that reach no tool (unknown name, bad arguments, duplicate, skipped) have `onEnd` only.
 * Results in call order.
 */
export async function runCalls(
  calls: readonly ToolCall[],
  given: CallDeps,
  onStart: OnStart,
  onEnd: (outcome: CallOutcome) => Promise<void>,
): Promise<readonly CallOutcome[]> {
  const deps: CallDeps = { ...given, callsOf: (callId) => callsInside(callId, given, runCalls) };
  const spill = { dir: deps.resultDir, now: () => deps.clock.now() };
  const batch: Batch = {
    deps,
    onStart,
    onEnd,
    count: calls.length,
    spill,
    first: new Map(),
    held: new Set(),
    begun: [],
  };
  const named = await Promise.all(calls.map(async (call) => requestCall(await nameCall(call, deps), deps)));
  const unknown = named.some((entry) => entry.tool === undefined);
  const outcomes = await scheduleJobs(
    named.map((entry, index) => toJob(batch, entry, index, unknown)),
    deps.signal,
  );
  const ended = batch.held.size === 0 ? outcomes : await endHeld(batch, outcomes);
  await Promise.all(batch.begun);
  return ended;
}

type OnStart = (call: ToolCall, preview: string, at: StartPlace) => Promise<void>;

/** Which of the calls of its response it is, from 0. */
interface StartPlace {
  readonly index: number;
  readonly of: number;
  /** It does nothing before its `onStart` has resolved; another call has perhaps ended by then. */
  readonly waits: boolean;
}

/** End the calls whose results had to wait for the others: all together keep to the limit of a batch. */
async function endHeld(batch: Batch, outcomes: readonly CallOutcome[]): Promise<readonly CallOutcome[]> {
  const sized = outcomes.map((one) => ({ id: one.call.id, content: one.content, movable: batch.held.has(one) }));
  const contents = await fitBatch(batch.spill, sized);
  const fitted = outcomes.map((one, index) => ({ ...one, content: contents[index] ?? one.content }));
  for (const [index, one] of outcomes.entries()) if (batch.held.has(one)) await batch.onEnd(fitted[index] ?? one);
  return fitted;
}

interface Batch {
  readonly deps: CallDeps;
  readonly onStart: OnStart;
  readonly onEnd: (outcome: CallOutcome) => Promise<void>;
  readonly count: number;
  readonly spill: Spill;
  /** First run of each name with canonical arguments. */
  readonly first: Map<string, Promise<CallOutcome>>;
  /** So large that it depends on the other results whether they go to a file. */
  readonly held: Set<CallOutcome>;
  /** Starts that are not awaited before the end. */
  readonly begun: Promise<void>[];
}

const NO_EFFECTS = { reads: [], writes: [] };

function toJob(batch: Batch, entry: RequestedCall, index: number, unknown: boolean): CallJob<CallOutcome> {
  const { call, tool } = entry;
  const settle = async (outcome: CallOutcome) => {
    await batch.onEnd(outcome);
    return outcome;
  };
  const still = (content: string, status: CallStatus, fault?: CallOutcome["fault"]): CallJob<CallOutcome> => {
    const filesNotChanged = targetsNamedIn(call, batch.deps.context(call.id, batch.deps.signal));
    const run = () => settle({ ...plain(call, content, status, fault), filesNotChanged });
    return { effects: NO_EFFECTS, run, skip: run };
  };
  if (tool === undefined) return still(unknownText(call.name, batch.deps.tools), "error", "unknown-tool");
  if (unknown)
    return still("Skipped: another tool call in this response used an invalid name.", "skipped", "skipped-sibling");
  if (entry.failed !== undefined) return still(JSON.stringify({ error: entry.failed }), "error");
  const given = argumentsFor(tool, call, (text) => batch.deps.context(call.id, batch.deps.signal).reveal(text));
  if (!given.ok) return still(given.why, "blocked");
  const args = parseArguments(tool, given.text);
  if (!args.ok) return still(args.text, "error", "invalid-arguments");
  const ready: ReadyCall = {
    call,
    tool,
    params: args.params,
    canonical: args.canonical,
    ignored: args.ignored,
    trace: entry.trace,
  };
  return {
    ...runJob(batch, ready, index),
    skip: () =>
      settle(plain(call, `[Tool execution skipped: ${call.name} was not started. The user interrupted.]`, "skipped")),
  };
}

function runJob(batch: Batch, ready: ReadyCall, index: number): Pick<CallJob<CallOutcome>, "effects" | "run"> {
  const { call } = ready;
  const key = `${call.name} ${ready.canonical}`;
  const effects = effectsIn(batch, ready);
  const run = async (): Promise<CallOutcome> => {
    const earlier = batch.first.get(key);
    const outcome = earlier === undefined ? start(batch, ready, index, effects) : duplicate(call, earlier);
    batch.first.set(key, earlier ?? outcome);
    const done = await outcome;
    if (batch.count > 1 && done.content.length > shareOf(batch.count)) batch.held.add(done);
    else await batch.onEnd(done);
    return done;
  };
  const { runWhen } = batch.deps;
  return { effects, run: runWhen === undefined ? run : () => runWhen(effects, run) };
}

/** Calls that write nothing need not wait until their start is durable (core part, 6.1). */
async function start(batch: Batch, ready: ReadyCall, index: number, effects: Effects): Promise<CallOutcome> {
  const waits = effects.writes.length > 0;
  const begun = batch.onStart(ready.call, previewOf(ready), { index, of: batch.count, waits });
  begun.catch(() => undefined); // awaited below, or with all of them
  if (!waits) {
    batch.begun.push(begun);
    return executeCall(ready, batch.deps, batch.spill);
  }
  await nextTurn(); // what its start has to store is on its way before work begins that keeps the loop busy
  const outcome = await executeCall({ ...ready, begun }, batch.deps, batch.spill);
  await begun;
  return outcome;
}

async function duplicate(call: ToolCall, earlier: Promise<CallOutcome>): Promise<CallOutcome> {
  return { ...(await earlier), call, durationMs: 0 }; // an object of its own: each call ends by itself
}

function effectsIn(batch: Batch, ready: ReadyCall): Effects {
  try {
    return effectsOf(ready.tool, ready.params, batch.deps.context(ready.call.id, batch.deps.signal));
  } catch {
    /* ok to lose: a tool that cannot name its effects runs alone; its own failure shows when it runs. */
    return { reads: [], writes: ["world"] };
  }
}

function previewOf(ready: ReadyCall): string {
  try {
    return toScreenLine(visible(ready.tool.preview(ready.params)), 120);
  } catch {
    /* ok to lose: the line that announces a call is decoration. */
    return ready.tool.name;
  }
}

function plain(call: ToolCall, content: string, status: CallStatus, fault?: CallOutcome["fault"]): CallOutcome {
  return {
    call,
    content,
    status,
    durationMs: 0,
    filesChanged: [],
    filesNotChanged: [],
    ...(fault === undefined ? {} : { fault }),
  };
}

function unknownText(name: string, tools: ReadonlyMap<string, AnyTool>): string {
  return `Tool '${toScreenLine(name, 80)}' does not exist. Available tools: ${[...tools.keys()].sort().join(", ")}`;
}
