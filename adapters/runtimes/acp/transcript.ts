import { isRecord } from "../../../lib/base/json/record.js";
import type { Log } from "../../../lib/base/log/log.js";
import type { RuntimeHost, RuntimeItem } from "../../../lib/contracts/runtimes/runtime.js";
import {
  argumentsOf,
  blockText,
  type CallFields,
  callIdOf,
  changesOf,
  cut,
  mergeCall,
  natureOf,
  resultOf,
  toolOf,
} from "./tool-call.js";

/** Characters of one message or thought of the agent. Above, the rest is left out of the transcript. */
const MESSAGE_CHARS = 1 << 20;
/** Extensions part, 8.4. */
const NOTE_CHARS = 1_500;
/** Kinds of updates that are logged as unknown; a program that invents more is not listened to. */
const UNKNOWN_KINDS = 20;

/** Ids of tool calls that a session has used, with how often. */
export type UsedCalls = Map<string, number>;

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

interface OpenCall {
  fields: CallFields;
  readonly callId: string;
  readonly key: string;
  /** An update has named it: a permission request alone adds nothing to the transcript. */
  told: boolean;
  declined: boolean;
  /** Output that is shown already. */
  output: string;
}

/** @see Transcript */
export function createTranscript(parts: TranscriptParts): Transcript {
  const { host, used } = parts;
  const open = new Map<string, OpenCall>();
  const closed = new Set<string>();
  const unknown = new Set<string>();
  let count = 0;
  let stopping = false;
  let message = "";
  let messageId: unknown;
  let thought = "";
  let plan: string | undefined;
  let answer = "";
  let size: number | undefined;

  const store = (name: string, rest: Omit<RuntimeItem, "key">): Promise<void> =>
    host.item({ key: `${parts.mark}/${name}`, ...rest });
  const nextName = (kind: string): string => {
    count += 1;
    return `${kind}/${count}`;
  };
  /** What was thought before a message belongs to it. */
  const takeThought = (): { readonly reasoning?: string } => {
    const reasoning = thought;
    thought = "";
    return reasoning === "" ? {} : { reasoning };
  };
  const flush = async (): Promise<void> => {
    const content = message;
    message = "";
    messageId = undefined;
    if (content.trim() === "") return;
    answer = content;
    await store(nextName("message"), { messages: [{ role: "assistant", content, ...takeThought() }] });
  };
  const say = async (update: Record<string, unknown>): Promise<void> => {
    const delta = blockText(update["content"]);
    const id = update["messageId"];
    if (id !== undefined && id !== null && messageId !== undefined && id !== messageId) await flush();
    messageId = id ?? messageId;
    if (delta === "") return;
    host.live({ kind: "text", delta });
    message = message.length + delta.length > MESSAGE_CHARS ? cut(message + delta, MESSAGE_CHARS) : message + delta;
  };
  const think = async (update: Record<string, unknown>): Promise<void> => {
    await flush();
    const delta = blockText(update["content"]);
    if (delta === "") return;
    host.live({ kind: "reasoning", delta });
    thought = (thought + delta).slice(0, MESSAGE_CHARS);
  };
  const callOf = (update: Record<string, unknown>, begins: boolean): OpenCall | undefined => {
    const id = update["toolCallId"];
    if (typeof id !== "string" || id === "") return undefined;
    const known = open.get(id);
    if (known !== undefined) {
      known.fields = mergeCall(known.fields, update);
      return known;
    }
    if (closed.has(id) && !begins) return undefined; // late words of a call that is stored
    const use = (used.get(id) ?? 0) + 1;
    used.set(id, use);
    closed.delete(id);
    const call: OpenCall = {
      fields: mergeCall(undefined, update),
      callId: callIdOf(id, use),
      key: use === 1 ? `call/${id}` : `call/${id}/${use}`,
      told: false,
      declined: false,
      output: "",
    };
    open.set(id, call);
    return call;
  };
  const work = async (update: Record<string, unknown>, begins: boolean): Promise<void> => {
    await flush();
    const call = callOf(update, begins);
    if (call === undefined) return;
    const { fields, callId } = call;
    if (!call.told) {
      call.told = true;
      host.live({ kind: "call", callId, tool: toolOf(fields), preview: fields.title });
    }
    showOutput(call);
    if (fields.status === "completed" || fields.status === "failed") await close(call);
  };
  /** The content of a call is replaced whole; what it adds to what is shown is shown. */
  const showOutput = (call: OpenCall): void => {
    const text = resultOf(call.fields);
    if (text.length <= call.output.length || !text.startsWith(call.output)) return;
    host.live({ kind: "output", callId: call.callId, text: text.slice(call.output.length) });
    call.output = text;
  };
  const close = async (call: OpenCall): Promise<void> => {
    const { fields, callId } = call;
    open.delete(fields.id);
    closed.add(fields.id);
    const tool = toolOf(fields);
    const { text, status } = outcomeOf(call, parts.cwd, stopping);
    host.live({ kind: "called", callId, ok: status === "ok" });
    const changed = status === "ok" ? changesOf(fields, parts.cwd).map(({ path }) => path) : [];
    await store(call.key, {
      messages: [
        {
          role: "assistant",
          content: "",
          toolCalls: [{ id: callId, name: tool, arguments: argumentsOf(fields, parts.cwd) }],
          ...takeThought(),
        },
        { role: "tool", content: text, toolCallId: callId, toolName: tool, status },
      ],
      ...(changed.length === 0 ? {} : { changed }),
    });
  };
  const planned = async (update: Record<string, unknown>): Promise<void> => {
    const entries = Array.isArray(update["entries"]) ? update["entries"].filter(isRecord) : [];
    const steps = entries.map(({ content, status }) => ({ content, status }));
    plan = steps.length === 0 ? undefined : `[plan] ${JSON.stringify(steps)}`.slice(0, NOTE_CHARS);
    const done = steps.filter(({ status }) => status === "completed").length;
    const now = steps.find(({ status }) => status === "in_progress")?.content;
    const doing = typeof now === "string" ? `: ${now}` : "";
    host.live({ kind: "status", text: `plan: ${done} of ${steps.length} done${doing}` });
  };
  const notify = async (update: Record<string, unknown>): Promise<void> => {
    const { severity, title, description } = update;
    if (typeof title !== "string" || title === "") return;
    const text = typeof description === "string" && description !== "" ? `${title}: ${description}` : title;
    host.notice({ level: severity === "info" ? "info" : "warning", text, once: `acp:${text}` });
  };
  const ignore = async (): Promise<void> => undefined;
  const status = (text: string): void => host.live({ kind: "status", text });
  const readers: Readonly<Record<string, (update: Record<string, unknown>) => Promise<void>>> = {
    agent_message_chunk: say,
    agent_thought_chunk: think,
    tool_call: (update) => work(update, true),
    tool_call_update: (update) => work(update, false),
    plan: planned,
    notice: notify,
    usage_update: async ({ size: told }) => {
      if (typeof told === "number" && told > 0) size = told;
    },
    current_mode_update: async ({ currentModeId }) => {
      if (typeof currentModeId === "string") status(`mode ${currentModeId}`);
    },
    compaction_update: async (update) => {
      if (update["status"] === "in_progress") status("compacting its context");
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
      parts.log.debug("agent program: unknown update", { kind: kind.slice(0, 64) });
    },
    asked: (update) => {
      const call = callOf(update, false) ?? callOf(update, true);
      const fields = call?.fields ?? mergeCall(undefined, update);
      return { call: fields, callId: call?.callId ?? callIdOf(fields.id, 1) };
    },
    declined: (toolCallId) => {
      const call = open.get(toolCallId);
      if (call !== undefined) call.declined = true;
    },
    steered: async (text) => {
      await flush();
      await store(nextName("steer"), { messages: [{ role: "user", content: text }] });
    },
    stopped: () => {
      stopping = true;
    },
    runs: () =>
      [...open.values()].some(({ told, declined, fields }) => told && !declined && natureOf(fields) === "command"),
    finish: async () => {
      for (const call of [...open.values()]) if (call.told) await close(call);
      if (plan !== undefined) await store(nextName("plan"), { messages: [{ role: "assistant", content: plan }] });
      await flush();
      return answer;
    },
    window: () => size,
  };
}

/** Result of a call that is over, or that the end of its turn found open. */
function outcomeOf(
  call: OpenCall,
  cwd: string,
  stopping: boolean,
): { readonly text: string; readonly status: "ok" | "error" | "denied" | "interrupted" } {
  const { fields } = call;
  const text = resultOf(fields);
  const open = fields.status !== "completed" && fields.status !== "failed";
  if (call.declined && fields.status !== "completed")
    return { text: marked("[declined by user]", text), status: "denied" };
  if (open || (stopping && fields.status === "failed"))
    return { text: marked("[interrupted]", text), status: "interrupted" };
  const status = fields.status === "completed" ? "ok" : "error";
  if (natureOf(fields) !== "write") return { text, status };
  const count = changesOf(fields, cwd).length;
  return { text: marked(`${fields.status}: ${count} ${count === 1 ? "change" : "changes"}`, text), status };
}

const marked = (mark: string, text: string): string => (text === "" ? mark : `${mark}\n${text}`);
