import { faultPoint } from "../../base/fault.js";
import type { TurnId } from "../../base/units.js";
import type { NewMessage } from "../../contracts/chat/chat.js";
import type { ToolCall } from "../../contracts/models/model.js";
import type { MessagePicture } from "../../contracts/models/pictures.js";
import { fitJson } from "../../safety/redact/text.js";
import type { AnyTool } from "../../tools/core/define.js";
import type { InsideHooks } from "../../tools/run/call.js";
import { type CallOutcome, runCalls } from "../../tools/run/pipeline.js";
import type { ContextNotice } from "../../tools/run/read.js";
import { escapeMarks, withSteer } from "../transcript/steer.js";
import { cutBytes } from "../transcript/transcript-events.js";
import { recordMutations } from "./footer.js";
import type { RoundCommit } from "./round-commit.js";
import type { TurnDeps } from "./turn-types.js";
import type { TurnEnding, TurnUsage } from "./turn-usage.js";

const MAX_UNKNOWN_ROUNDS = 3; // core part, 2.4 (2)
const MAX_INVALID_ROUNDS = 4; // core part, 2.4 (3)

/** What the tool rounds of one turn remember. */
export interface ToolRounds {
  count: number;
  unknown: number;
  invalid: number;
  loaded: ReadonlyMap<string, AnyTool> | undefined;
}

export const newToolRounds = (): ToolRounds => ({ count: 0, unknown: 0, invalid: 0, loaded: undefined });

export interface ToolRound {
  readonly deps: TurnDeps;
  readonly turn: TurnId;
  readonly calls: readonly ToolCall[];
  /** The message with the calls. */
  readonly commit: RoundCommit;
  readonly turnUsage: TurnUsage;
  /** The model request that asked for the calls. */
  readonly request: string;
  readonly signal: AbortSignal;
}

/** Run the calls of one response and store every result when it exists. An ending when the turn has to stop here. */
export async function runToolRound(rounds: ToolRounds, round: ToolRound): Promise<TurnEnding | undefined> {
  const { deps, calls, turnUsage, commit } = round;
  rounds.count += 1;
  deps.files?.round();
  const stored = commit.stored.then(() => faultPoint("turn.calls-committed"));
  const announced: Promise<void>[] = [];
  /** Awaited behind the calls; a store that fails while they run must not leave an unhandled rejection till then. */
  const announce = (told: Promise<void>): void => {
    told.catch(() => undefined); // seen at the end, below
    announced.push(told);
  };
  announce(stored);
  if (rounds.loaded === undefined) {
    commit.now(); // to load them takes longer than a small call
    rounds.loaded = await loadTools(deps);
  }
  const labels = new Map<string, string>();
  const over = new Set<string>();
  const outcomes = await runCalls(
    calls,
    {
      tools: rounds.loaded,
      ...(deps.deferred === undefined ? {} : { deferred: deps.deferred }),
      context: (callId, signal) => ({ ...deps.context(callId, signal), request: round.request }),
      signal: round.signal,
      guard: deps.guard,
      ...(deps.begun === undefined ? {} : { begun: deps.begun }),
      clock: deps.clock,
      resultDir: deps.resultDir,
      inside: insideHooks(round),
      notice: (text) => deps.live("notice", { level: "info", text }),
      ...(deps.directoryContext
        ? { directoryNotice: (notice) => announce(behind(commit, () => tellContext(deps, round.turn, notice))) }
        : {}),
    },
    async (call, preview, { index, of, waits }) => {
      const data = {
        call_id: call.id,
        name: call.name,
        args: shownArguments(deps.redact(call.arguments)),
        preview: deps.redact(preview),
        index,
        of,
      };
      labels.set(call.id, data.preview);
      announce(commit.began(data, waits));
      await stored;
      if (!over.has(call.id)) deps.live("turn.phase", { phase: "tool", detail: call.name });
      await deps.files?.starting(call, preview, () => deps.context(call.id, round.signal));
    },
    async (outcome) => {
      over.add(outcome.call.id);
      await settle(round, outcome, labels.get(outcome.call.id));
    },
  );
  await Promise.all(announced);
  await deps.files?.settled();
  turnUsage.toolCalls += outcomes.length;
  return stopAfter(rounds, outcomes);
}

/** Nothing of a round is stored before the message that it begins with. */
function behind(commit: RoundCommit, store: () => Promise<void>): Promise<void> {
  commit.now();
  return store();
}

/** What the user should know of a context file: a durable event of the turn, and a line for its viewers. */
export async function tellContext(deps: TurnDeps, turn: TurnId, notice: ContextNotice): Promise<void> {
  deps.onNotice?.(notice);
  await deps.transcript.event(turn, "notice", { level: notice.level, code: "context_file", text: notice.text });
}

async function loadTools(deps: TurnDeps): Promise<ReadonlyMap<string, AnyTool>> {
  return new Map(await Promise.all(deps.tools.map(async (entry) => [entry.name, await entry.load()] as const)));
}

/** The result is durable, and with it that the call has ended, before the place of its call is given to another. */
async function settle(round: ToolRound, outcome: CallOutcome, label: string | undefined): Promise<void> {
  const { deps, turnUsage } = round;
  faultPoint("tool.ran");
  const { call, content, status, durationMs } = outcome;
  turnUsage.calls.push({ label: label ?? call.name, status, abandoned: outcome.abandoned === true });
  turnUsage.denied.push(...(outcome.denied ? [outcome.denied] : []), ...(outcome.deniedBelow ?? []));
  deps.files?.changed(outcome.filesChanged);
  recordMutations(turnUsage, {
    tool: call.name,
    content,
    changed: outcome.filesChanged,
    notChanged: outcome.filesNotChanged,
  });
  const pictures = await keptPictures(deps, outcome);
  const data = endedData(outcome, pictures);
  const steer = round.signal.aborted ? undefined : deps.steer?.take();
  const own = escapeMarks(content);
  const message: NewMessage = {
    role: "tool",
    content: steer === undefined ? own : withSteer(own, steer),
    toolCallId: call.id,
    toolName: call.name,
    status,
    durationMs,
    ...(pictures.length === 0 ? {} : { pictures }),
  };
  await round.commit.ended(message, {
    event: { kind: "tool.ended", data },
    ...(steer === undefined ? {} : { steer }),
  });
}

/** Source: core part, 23: an event holds 32 kB. */
const ARGUMENT_BYTES = 30_000;

/** Arguments as an event holds them: still JSON when they are cut, where they were JSON. */
function shownArguments(text: string): string {
  if (Buffer.byteLength(text) <= ARGUMENT_BYTES) return text;
  try {
    const fitted = fitJson(JSON.parse(text), Math.floor(ARGUMENT_BYTES / 3));
    if (fitted !== undefined) return fitted;
  } catch {
    /* ok to lose: invalid JSON is cut as a text. */
  }
  return cutBytes(text, ARGUMENT_BYTES);
}

/** What the call showed, as files of the conversation; durable when it resolves. A picture that cannot be kept is not shown. */
async function keptPictures(deps: TurnDeps, { call, images }: CallOutcome): Promise<readonly MessagePicture[]> {
  if (images === undefined || deps.keepPictures === undefined) return [];
  try {
    return await deps.keepPictures(images);
  } catch (error) {
    deps.log.warning("failed to keep pictures of a result", { tool: call.name, error: String(error) });
    return [];
  }
}

const endedData = (
  { call, content, status, durationMs, exitCode }: CallOutcome,
  pictures: readonly MessagePicture[] = [],
) => ({
  call_id: call.id,
  name: call.name,
  status,
  duration_ms: durationMs,
  ...(exitCode === undefined ? {} : { exit_code: exitCode }),
  preview: [...content.slice(0, 240)].slice(0, 120).join(""),
  ...(pictures.length === 0 ? {} : { pictures }),
});

/** Calls that a tool makes itself count like its own work: what they change, what was denied, and front ends see them below it. */
function insideHooks({ deps, turn, turnUsage, commit }: ToolRound): InsideHooks {
  const event = (kind: string, data: Readonly<Record<string, unknown>>) =>
    behind(commit, () => deps.transcript.event(turn, kind, data));
  return {
    started: async (call, preview, outer) => {
      const data = {
        call_id: call.id,
        parent_call_id: outer,
        name: call.name,
        args: shownArguments(deps.redact(call.arguments)),
        preview: deps.redact(preview),
      };
      await event("tool.started", { ...data, index: 0, of: 1 });
    },
    ended: async (outcome, outer) => {
      turnUsage.denied.push(...(outcome.denied ? [outcome.denied] : []), ...(outcome.deniedBelow ?? []));
      const { call, content, filesChanged: changed, filesNotChanged: notChanged } = outcome;
      deps.files?.changed(changed);
      recordMutations(turnUsage, { tool: call.name, content, changed, notChanged });
      await event("tool.ended", { ...endedData(outcome), parent_call_id: outer });
    },
  };
}

function stopAfter(rounds: ToolRounds, outcomes: readonly CallOutcome[]): TurnEnding | undefined {
  const halt = outcomes.find((outcome) => outcome.halt !== undefined)?.halt;
  if (halt !== undefined) return { reason: "guardrail_halt", answer: halt, partial: true };
  if (outcomes.some((outcome) => outcome.endsRun)) return { reason: "text_response", answer: "" };
  const unknown = outcomes.find((outcome) => outcome.fault === "unknown-tool");
  if (unknown) {
    rounds.unknown += 1;
    if (rounds.unknown >= MAX_UNKNOWN_ROUNDS) return invalid(`Model generated invalid tool call: ${unknown.call.name}`);
  }
  rounds.invalid = outcomes.every((outcome) => outcome.fault === "invalid-arguments") ? rounds.invalid + 1 : 0;
  return rounds.invalid >= MAX_INVALID_ROUNDS ? invalid("Model generated invalid tool arguments") : undefined;
}

const invalid = (message: string): TurnEnding => ({
  reason: "invalid_tool_calls",
  answer: message,
  partial: true,
  failure: { class: "invalid_tool_calls", message },
});
