import { isRecord } from "../../../lib/base/json/record.js";
import type { Log } from "../../../lib/base/log/log.js";
import type { RuntimeHost, RuntimeItem } from "../../../lib/contracts/runtimes/runtime.js";
import { createCallTracker, type UsedCalls } from "./call-tracker.js";
import { createMessageBuffer } from "./message-buffer.js";
import { type CallFields, callIdOf, mergeCall } from "./tool-call.js";

/** Extensions part, 8.4. */
const NOTE_CHARS = 1_500;
/** Kinds of updates that are logged as unknown; a program that invents more is not listened to. */
const UNKNOWN_KINDS = 20;

export interface TranscriptParts {
  readonly host: Pick<RuntimeHost, "item" | "live" | "notice">;
  readonly log: Log;
  readonly cwd: string;
  /** Begins the key of every item of this turn: the protocol names neither turns nor, mostly, messages. */
  readonly mark: string;
  readonly used: UsedCalls;
}

/** What the updates of one turn add to the transcript, and show meanwhile. */
export interface Transcript {
  /** One `session/update`. Never rejects for what a program sends. */
  update(update: unknown): Promise<void>;
  /** A permission request describes a call, perhaps before any update does. @returns the call, with its id in the transcript */
  asked(update: Record<string, unknown>): { readonly call: CallFields; readonly callId: string };
  /** The user declined this call. */
  declined(toolCallId: string): void;
  /** Words of the user that the running turn took. */
  steered(text: string): Promise<void>;
  /** The turn is being stopped: what fails from now on was interrupted. */
  stopped(): void;
  /** Whether a command runs of which the program has not told the end. */
  runs(): boolean;
  /** The turn is over: what is open is closed. @returns the last message of the agent */
  finish(): Promise<string>;
  /** Size of the context window, once the program has said it. */
  window(): number | undefined;
}

type Update = Readonly<Record<string, unknown>>;

/** @see Transcript */
export function createTranscript(parts: TranscriptParts): Transcript {
  const { host, cwd, used, mark, log } = parts;
  const unknown = new Set<string>();
  let count = 0;
  let plan: string | undefined;
  let size: number | undefined;

  const store = (name: string, rest: Omit<RuntimeItem, "key">): Promise<void> =>
    host.item({ key: `${mark}/${name}`, ...rest });
  const storeNext = (kind: string, rest: Omit<RuntimeItem, "key">): Promise<void> => {
    count += 1;
    return store(`${kind}/${count}`, rest);
  };
  const message = createMessageBuffer(host, (item) => storeNext("message", item));
  const calls = createCallTracker({ host, cwd, used, store, takeThought: message.takeThought });

  const trackCall = async (update: Update, begins: boolean): Promise<void> => {
    await message.flush();
    await calls.track(update, begins);
  };
  const showStatus = (text: string): void => host.live({ kind: "status", text });
  const ignore = async (): Promise<void> => undefined;
  const readers: Readonly<Record<string, (update: Update) => Promise<void>>> = {
    agent_message_chunk: message.say,
    agent_thought_chunk: message.think,
    tool_call: (update) => trackCall(update, true),
    tool_call_update: (update) => trackCall(update, false),
    plan: async ({ entries }) => {
      const steps = readPlan(entries);
      plan = steps.length === 0 ? undefined : `[plan] ${JSON.stringify(steps)}`.slice(0, NOTE_CHARS);
      showStatus(describePlan(steps));
    },
    notice: async (update) => showNotice(update, host),
    usage_update: async ({ size: told }) => {
      if (typeof told === "number" && told > 0) size = told;
    },
    current_mode_update: async ({ currentModeId }) => {
      if (typeof currentModeId === "string") showStatus(`mode ${currentModeId}`);
    },
    compaction_update: async ({ status }) => {
      if (status === "in_progress") showStatus("compacting its context");
    },
    // The echo of what was sent, and what front ends of its own show.
    user_message_chunk: ignore,
    available_commands_update: ignore,
    config_option_update: ignore,
    session_info_update: ignore,
    compaction_summary_chunk: ignore,
  };
  return {
    update: async (update) => {
      if (!isRecord(update)) return;
      const kind = String(update["sessionUpdate"]);
      const read = Object.hasOwn(readers, kind) ? readers[kind] : undefined;
      if (read !== undefined) return read(update);
      if (unknown.has(kind) || unknown.size >= UNKNOWN_KINDS) return;
      unknown.add(kind);
      log.debug("agent program: unknown update", { kind: kind.slice(0, 64) });
    },
    asked: (update) => {
      const call = calls.merge(update, false) ?? calls.merge(update, true);
      const fields = call?.fields ?? mergeCall(undefined, update);
      return { call: fields, callId: call?.callId ?? callIdOf(fields.id, 1) };
    },
    declined: calls.decline,
    steered: async (text) => {
      await message.flush();
      await storeNext("steer", { messages: [{ role: "user", content: text }] });
    },
    stopped: calls.interrupt,
    runs: calls.runsCommand,
    finish: async () => {
      await calls.closeAll();
      if (plan !== undefined) await storeNext("plan", { messages: [{ role: "assistant", content: plan }] });
      await message.flush();
      return message.answer();
    },
    window: () => size,
  };
}

interface PlanStep {
  readonly content: unknown;
  readonly status: unknown;
}

const readPlan = (entries: unknown): readonly PlanStep[] =>
  (Array.isArray(entries) ? entries.filter(isRecord) : []).map(({ content, status }) => ({ content, status }));

function describePlan(steps: readonly PlanStep[]): string {
  const done = steps.filter(({ status }) => status === "completed").length;
  const now = steps.find(({ status }) => status === "in_progress")?.content;
  const doing = typeof now === "string" ? `: ${now}` : "";
  return `plan: ${done} of ${steps.length} done${doing}`;
}

function showNotice({ severity, title, description }: Update, host: Pick<RuntimeHost, "notice">): void {
  if (typeof title !== "string" || title === "") return;
  const text = typeof description === "string" && description !== "" ? `${title}: ${description}` : title;
  host.notice({ level: severity === "info" ? "info" : "warning", text, once: `acp:${text}` });
}
