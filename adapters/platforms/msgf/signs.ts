import type { Ms } from "../../../lib/base/units.js";
import type { Platform } from "../../../lib/contracts/gateway/platform.js";
import { capsOf } from "../../../lib/contracts/gateway/platform-traits.js";
import { toReceipt } from "../../../lib/gateway/adapter/send-outcome.js";
import type { Answer, Api } from "./api.js";
import type { Chats } from "./chats.js";
import type { Places } from "./places.js";
import { editMessage } from "./send.js";
import type { MsgfSettings } from "./settings.js";
import { ReactionShape } from "./wire.js";

const REACT_MS: Ms = 5000;
const WORKING = "Typing";
const FAILED = "CrossMark";
const KNOWN = 2000;
const MEDIA_BYTES = 100 << 20;

export interface SignParts {
  readonly api: Api;
  readonly settings: MsgfSettings;
  readonly chats: Chats;
  readonly places: Places;
}

/** Reactions, partial texts, chats and files: nothing of it is a message of its own. */
export function sideSigns(
  parts: SignParts,
): Required<Pick<Platform, "onTurn" | "react" | "edit" | "chatInfo" | "fetchMedia">> {
  const { api, settings, chats, places } = parts;
  /** Reactions of ours by message and emoji, to be taken away. */
  const set = new Map<string, string>();
  const base = (message: string) => `/open-apis/im/v1/messages/${encodeURIComponent(message)}/reactions`;
  const add = async (message: string, emoji: string, signal: AbortSignal): Promise<Answer> => {
    const json = { reaction_type: { emoji_type: emoji } };
    const answer = await api.call({ method: "POST", path: base(message), json, signal, totalMs: REACT_MS });
    const id = answer.ok ? ReactionShape.safeParse(answer.data).data?.reaction_id : undefined;
    if (set.size >= KNOWN) set.clear();
    if (id !== undefined) set.set(`${message}/${emoji}`, id);
    return answer;
  };
  const take = async (message: string, emoji: string, signal: AbortSignal): Promise<Answer> => {
    const id = set.get(`${message}/${emoji}`);
    set.delete(`${message}/${emoji}`);
    if (id === undefined) return { ok: true, data: undefined, body: undefined };
    return api.call({
      method: "DELETE",
      path: `${base(message)}/${encodeURIComponent(id)}`,
      signal,
      totalMs: REACT_MS,
    });
  };
  return {
    onTurn: async ({ kind, source }, phase, signal) => {
      const message = source.messageId;
      if (!settings.reactions || message === null || (kind !== "message" && kind !== "command")) return;
      if (phase === "begun") await add(message, WORKING, signal);
      else await take(message, WORKING, signal);
      if (phase === "failed") await add(message, FAILED, signal);
    },
    react: async (_chat, message, { emoji, on }, signal) => {
      const answer = await (on ? add(message, emoji, signal) : take(message, emoji, signal));
      return toReceipt(answer.ok ? { saw: "accepted", messageId: null } : answer.seen);
    },
    edit: async (_chat, id, text, { final, signal }) => {
      if (!final && !places.partial(id, capsOf("msgf").partialEditsMax ?? 0)) {
        return {
          result: "refused",
          error: "the message was changed as often as may be before its last text",
          retryable: false,
        };
      }
      const payload = { text, format: final ? "markdown" : "plain", silent: false } as const;
      return editMessage({ api, places }, { id, payload }, signal);
    },
    chatInfo: (chat, signal) => chats.info(chat, signal),
    fetchMedia: async ({ ref }, signal) => {
      const { messageId, key, type } = isRef(ref) ? ref : {};
      if (typeof messageId !== "string" || typeof key !== "string") throw new Error("the file has no key");
      const path = `/open-apis/im/v1/messages/${encodeURIComponent(messageId)}/resources/${encodeURIComponent(key)}`;
      return api.download(`${path}?type=${type === "image" ? "image" : "file"}`, MEDIA_BYTES, signal);
    },
  };
}

const isRef = (ref: unknown): ref is { messageId?: unknown; key?: unknown; type?: unknown } =>
  typeof ref === "object" && ref !== null;
