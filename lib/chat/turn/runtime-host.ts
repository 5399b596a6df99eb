import type { MessageRecord, NewMessage } from "../../contracts/chat/chat.js";
import type { Usage } from "../../contracts/models/model.js";
import type { RuntimeHost, RuntimeItem, RuntimeLive } from "../../contracts/runtimes/runtime.js";
import { isForeign, markToolResult } from "../../tools/core/untrusted.js";
import { escapeMarks } from "../transcript/steer.js";
import { keepDraft } from "./draft.js";
import { recordMutations } from "./footer.js";
import { liveText } from "./live-text.js";
import { readForProgram, writeForProgram } from "./runtime-files.js";
import { createRuntimeAsking } from "./runtime-permit.js";
import { RUNTIME_RECORD, type RuntimeRecord, runtimeJson } from "./runtime-record.js";
import type { TurnState } from "./turn-state.js";
import type { TurnRuntime } from "./turn-types.js";

/** The host of one turn, and what the turn has become through it. */
export interface TurnHost {
  readonly host: RuntimeHost;
  /** Tokens of the turn so far, and the window that the program told. */
  readonly usage: { readonly of: Usage; readonly window: number | undefined } | undefined;
  /** Thread that the turn works on; undefined: it has begun none. */
  readonly thread: string | undefined;
  /** Text that was shown and that no item has brought. */
  readonly unfinished: string;
  /** Nothing more comes. */
  settled(): Promise<void>;
}

export interface HostStart {
  readonly runtime: TurnRuntime;
  /** The record as it goes on; undefined: a new thread begins. */
  readonly record: RuntimeRecord | undefined;
  /** Last turn of the conversation before this one. */
  readonly after: string | null;
  /** Words of the user that the program has taken, in order. */
  readonly steered: string[];
}

/** What a program tells and asks, on the conversation of the turn. */
export function createRuntimeHost(turn: TurnState, start: HostStart): TurnHost {
  const { deps, id } = turn;
  let record = start.record;
  let told: readonly string[] = start.record?.told ?? [];
  let usage: { of: Usage; window: number | undefined } | undefined;
  let unfinished = "";
  let writes = 0;
  const began = new Map<string, number>();
  const shown = liveParts(turn, began, start.runtime.id);

  const keep = async (next: RuntimeRecord): Promise<void> => {
    record = next;
    await deps.transcript.setRecord(RUNTIME_RECORD, runtimeJson(next));
  };
  /** What is saved or asked from now on counts as done after reading words of others. */
  const heardOthers = (): void => deps.context(`${id}:heard`, turn.signal).readUntrusted?.();
  const host: RuntimeHost = {
    thread: (thread) => {
      const goesOn = record?.thread === thread ? record : undefined;
      const fresh = freshRecord(turn, start, thread);
      const base = goesOn ?? { ...fresh, told: [...told] };
      const turns = base.turns.some((one) => one.turn === id) ? base.turns : [...base.turns, { turn: id, of: null }];
      return keep({ ...base, turns });
    },
    turnId: async (of) => {
      if (record === undefined) return;
      await keep({ ...record, turns: record.turns.map((one) => (one.turn === id ? { turn: id, of } : one)) });
    },
    item: async (item) => {
      if (record?.items.includes(item.key) === true) return;
      if (item.foreign === true || item.messages.some(({ toolName = "" }) => isForeign(toolName))) heardOthers();
      await shown.draft.settled();
      shown.flush();
      const next = record === undefined ? undefined : { ...record, items: [...record.items, item.key] };
      record = next;
      const stored = await storeItem(turn, item, { next, began, steered: start.steered });
      if (stored.some((one) => one.role === "assistant" && one.content !== "")) {
        unfinished = "";
        shown.reset();
      }
    },
    usage: (of, window) => {
      usage = { of, window };
    },
    live: (event) => {
      if (event.kind === "text") unfinished += event.delta;
      // The program asks for few of its calls: that one begins is all that is known before its model reads the result.
      if (event.kind === "call" && isForeign(event.tool)) heardOthers();
      shown.tell(event);
    },
    notice: ({ level, text, once }) => {
      if (once !== undefined) {
        if (told.includes(once)) return;
        told = [...told, once];
        if (record !== undefined) record = { ...record, told: [...told] }; // stored with the next item
      }
      const notice = { level, text: deps.redact(text) };
      deps.onNotice?.(notice);
      deps.transcript
        .event(id, "notice", { ...notice, code: "runtime" })
        .catch((error: unknown) => deps.log.warning("failed to store a notice", { error: String(error) }));
    },
    ...createRuntimeAsking({
      context: deps.context,
      signal: turn.signal,
      denied: (denial) => turn.turnUsage.denied.push(denial),
    }),
    waited: () => deps.waited?.() ?? 0,
    readFile: (path, range) => readForProgram(deps.context(`${id}:read`, turn.signal), path, range),
    writeFile: async (path, text, signal) => {
      writes += 1;
      const outcome = await writeForProgram(deps, { id: `${id}:write:${writes}`, path, text }, signal);
      const { content, filesChanged: changed, filesNotChanged: notChanged } = outcome;
      deps.files?.changed(changed);
      recordMutations(turn.turnUsage, { tool: outcome.call.name, content, changed, notChanged });
    },
  };
  return {
    host,
    get usage() {
      return usage;
    },
    get thread() {
      return record?.thread;
    },
    get unfinished() {
      return unfinished;
    },
    settled: async () => {
      shown.end();
      await shown.draft.settled();
    },
  };
}

const freshRecord = ({ deps }: TurnState, { runtime, after }: HostStart, thread: string): RuntimeRecord => ({
  program: runtime.id,
  session: deps.transcript.session.id,
  cwd: runtime.cwd,
  thread,
  after,
  turns: [],
  items: [],
  told: [],
});

/** What streams, as front ends know it. */
function liveParts({ deps, id }: TurnState, began: Map<string, number>, program: string) {
  const draft = keepDraft(deps, id);
  const text = liveText(deps.clock, deps.redactStream, (shown) => deps.live("text.delta", { text: shown }));
  const reasoning = liveText(deps.clock, deps.redactStream, (shown) => deps.live("reasoning.delta", { text: shown }));
  const phase = (name: string, detail?: string) =>
    deps.live("turn.phase", { phase: name, program, ...(detail === undefined ? {} : { detail }) });
  const flush = () => {
    reasoning.flush();
    text.flush();
  };
  const tell = (event: RuntimeLive): void => {
    if (event.kind === "text") {
      draft.add(event.delta);
      reasoning.flush();
      text.add(event.delta);
    } else if (event.kind === "reasoning") {
      text.flush();
      reasoning.add(event.delta);
    } else if (event.kind === "call") {
      flush();
      began.set(event.callId, deps.clock.mono());
      phase("tool", event.tool);
      deps.live("tool.started", startedData(deps.redact, { ...event, args: "{}" }));
    } else if (event.kind === "output") {
      deps.live("tool.progress", { call_id: event.callId, text: deps.redact(event.text) });
    } else if (event.kind === "called") phase("waiting_model");
    else if (event.kind === "status") {
      flush();
      phase("waiting_model", deps.redact(event.text));
    }
  };
  phase("waiting_model");
  return {
    tell,
    draft,
    flush,
    /** What streamed stands in the transcript now. */
    reset: () => {
      draft.reset();
      text.end();
    },
    end: () => {
      reasoning.end();
      text.end();
    },
  };
}

interface Started {
  readonly callId: string;
  readonly tool: string;
  readonly args: string;
  readonly preview: string;
}

const startedData = (redact: (text: string) => string, { callId, tool, args, preview }: Started) => ({
  call_id: callId,
  name: tool,
  args,
  preview: redact(preview),
  index: 0,
  of: 1,
});

/** Source: core part, 23: an event holds 32 kB. */
const EVENT_ARGUMENTS = 10_000;

interface Storing {
  /** The record that names the item, stored in the same commit. */
  readonly next: RuntimeRecord | undefined;
  readonly began: Map<string, number>;
  readonly steered: string[];
}

/** Store an item with its events in one commit: a crash in between leaves all of it or nothing. */
async function storeItem(
  turn: TurnState,
  item: RuntimeItem,
  { next, began, steered }: Storing,
): Promise<readonly MessageRecord[]> {
  const { deps, turnUsage } = turn;
  const now = deps.clock.mono();
  const messages = item.messages.map((message) => cleaned(deps.redact, message));
  const calls = messages.flatMap((message) => message.toolCalls ?? []);
  const results = messages.filter((message) => message.role === "tool");
  const said = messages.find((message) => message.role === "user");
  const timed = messages.map((message) => {
    const since = began.get(message.toolCallId ?? "");
    return message.durationMs !== undefined || since === undefined ? message : { ...message, durationMs: now - since };
  });
  const steer = said === undefined ? undefined : steered.shift();
  const ended = timed.findLast((message) => message.role === "tool");
  if (timed.length > 0)
    await deps.transcript.append(turn.id, timed, {
      ...(calls.length === 0
        ? {}
        : {
            begun: calls.map((call) =>
              startedData(deps.redact, {
                callId: call.id,
                tool: call.name,
                args: call.arguments.slice(0, EVENT_ARGUMENTS).toWellFormed(),
                preview: previewOf(call.arguments),
              }),
            ),
          }),
      ...(ended === undefined ? {} : { event: { kind: "tool.ended", data: endedData(ended) } }),
      ...(steer === undefined ? {} : { steer }),
      ...(next === undefined ? {} : { record: { name: RUNTIME_RECORD, json: runtimeJson(next) } }),
    });
  turn.tools.count += calls.length === 0 ? 0 : 1;
  turnUsage.toolCalls += calls.length;
  for (const result of results) {
    const call = calls.find(({ id }) => id === result.toolCallId);
    const label = call === undefined ? (result.toolName ?? "") : `${call.name} ${previewOf(call.arguments)}`;
    turnUsage.calls.push({ label, status: result.status ?? "ok", abandoned: false });
  }
  const changed = item.changed ?? [];
  deps.files?.changed(changed);
  recordMutations(turnUsage, { tool: calls[0]?.name ?? "", content: "", changed, notChanged: [] });
  await deps.files?.settled();
  return timed.map((message, at) => ({
    ...message,
    id: at,
    ordinal: at,
    session_id: deps.transcript.session.id,
    turn_id: turn.id,
    created_at: deps.clock.now(),
    active: true,
  }));
}

/** What stands in the transcript shows no secret, and no result passes for words of the user. */
function cleaned(redact: (text: string) => string, message: RuntimeItem["messages"][number]): NewMessage {
  const content = redact(message.content.toWellFormed().replaceAll("\0", ""));
  return {
    ...message,
    content: message.role === "tool" ? markToolResult(message.toolName ?? "", escapeMarks(content)) : content,
    ...(message.toolCalls === undefined
      ? {}
      : { toolCalls: message.toolCalls.map((call) => ({ ...call, arguments: redact(call.arguments) })) }),
    ...(message.reasoning === undefined ? {} : { reasoning: redact(message.reasoning) }),
  };
}

const endedData = (message: NewMessage) => ({
  call_id: message.toolCallId,
  name: message.toolName,
  status: message.status ?? "ok",
  duration_ms: message.durationMs ?? 0,
  preview: [...message.content.slice(0, 240)].slice(0, 120).join(""),
});

/** One line for a call: its command, or its arguments. */
function previewOf(args: string): string {
  try {
    const parsed: unknown = JSON.parse(args);
    if (typeof parsed === "object" && parsed !== null && "command" in parsed) return String(parsed.command);
  } catch {
    /* ok to lose: what is not JSON is shown as it is. */
  }
  return args.slice(0, 200).toWellFormed();
}
