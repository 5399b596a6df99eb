import type { RuntimeHost, RuntimeItem } from "../../../lib/contracts/runtimes/runtime.js";
import {
  argumentsOf,
  type CallFields,
  callIdOf,
  changesOf,
  mergeCall,
  natureOf,
  resultOf,
  toolOf,
} from "./tool-call.js";

/** Ids of tool calls that a session has used, with how often. */
export type UsedCalls = Map<string, number>;

type Update = Readonly<Record<string, unknown>>;

/** A call that has not ended. */
export interface OpenCall {
  readonly fields: CallFields;
  /** Its id in the transcript. */
  readonly callId: string;
}

/** The tool calls of one turn: each is shown while it runs, and stored once when it is over. */
export interface CallTracker {
  /**
   * The call that an update is about, with what the update says of it.
   *
   * @param begins The update may begin a call whose id was used before.
   * @returns undefined: it names no call, or one that is stored already
   */
  merge(update: Update, begins: boolean): OpenCall | undefined;
  /** Show what an update adds to its call, and store the call when it is over. */
  track(update: Update, begins: boolean): Promise<void>;
  /** The user declined this call. */
  decline(toolCallId: string): void;
  /** The turn is being stopped: calls that fail from now on were interrupted. */
  interrupt(): void;
  /** Whether a command runs of which the program has not told the end. */
  runsCommand(): boolean;
  /** Store what is open as interrupted. */
  closeAll(): Promise<void>;
}

interface TrackedCall extends OpenCall {
  fields: CallFields;
  readonly key: string;
  /** An update has named it: a permission request alone adds nothing to the transcript. */
  told: boolean;
  declined: boolean;
  /** Output that is shown already. */
  output: string;
}

interface Parts {
  readonly host: Pick<RuntimeHost, "live">;
  readonly cwd: string;
  readonly used: UsedCalls;
  readonly store: (name: string, item: Omit<RuntimeItem, "key">) => Promise<void>;
  /** What was thought before a call belongs to it. */
  readonly takeThought: () => { readonly reasoning?: string };
}

/** @see CallTracker */
export function createCallTracker({ host, cwd, used, store, takeThought }: Parts): CallTracker {
  const open = new Map<string, TrackedCall>();
  const closed = new Set<string>();
  let stopping = false;

  const merge = (update: Update, begins: boolean): TrackedCall | undefined => {
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
    const call: TrackedCall = {
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
  /** The content of a call is replaced whole; what it adds to what is shown is shown. */
  const showOutput = (call: TrackedCall): void => {
    const text = resultOf(call.fields);
    if (text.length <= call.output.length || !text.startsWith(call.output)) return;
    host.live({ kind: "output", callId: call.callId, text: text.slice(call.output.length) });
    call.output = text;
  };
  const close = async (call: TrackedCall): Promise<void> => {
    const { fields, callId, key } = call;
    open.delete(fields.id);
    closed.add(fields.id);
    const tool = toolOf(fields);
    const { text, status } = outcomeOf(call, cwd, stopping);
    host.live({ kind: "called", callId, ok: status === "ok" });
    const changed = status === "ok" ? changesOf(fields, cwd).map(({ path }) => path) : [];
    await store(key, {
      messages: [
        {
          role: "assistant",
          content: "",
          toolCalls: [{ id: callId, name: tool, arguments: argumentsOf(fields, cwd) }],
          ...takeThought(),
        },
        { role: "tool", content: text, toolCallId: callId, toolName: tool, status },
      ],
      ...(changed.length === 0 ? {} : { changed }),
    });
  };
  return {
    merge,
    track: async (update, begins) => {
      const call = merge(update, begins);
      if (call === undefined) return;
      const { fields, callId } = call;
      if (!call.told) {
        call.told = true;
        host.live({ kind: "call", callId, tool: toolOf(fields), preview: fields.title });
      }
      showOutput(call);
      if (isOver(fields)) await close(call);
    },
    decline: (toolCallId) => {
      const call = open.get(toolCallId);
      if (call !== undefined) call.declined = true;
    },
    interrupt: () => {
      stopping = true;
    },
    runsCommand: () =>
      [...open.values()].some(({ told, declined, fields }) => told && !declined && natureOf(fields) === "command"),
    closeAll: async () => {
      for (const call of [...open.values()]) if (call.told) await close(call);
    },
  };
}

const isOver = ({ status }: CallFields): boolean => status === "completed" || status === "failed";

/** Result of a call that is over, or that the end of its turn found open. */
function outcomeOf(
  { fields, declined }: TrackedCall,
  cwd: string,
  stopping: boolean,
): { readonly text: string; readonly status: "ok" | "error" | "denied" | "interrupted" } {
  const text = resultOf(fields);
  if (declined && fields.status !== "completed")
    return { text: withMark("[declined by user]", text), status: "denied" };
  if (!isOver(fields) || (stopping && fields.status === "failed"))
    return { text: withMark("[interrupted]", text), status: "interrupted" };
  const status = fields.status === "completed" ? "ok" : "error";
  if (natureOf(fields) !== "write") return { text, status };
  const count = changesOf(fields, cwd).length;
  return { text: withMark(`${fields.status}: ${count} ${count === 1 ? "change" : "changes"}`, text), status };
}

const withMark = (mark: string, text: string): string => (text === "" ? mark : `${mark}\n${text}`);
