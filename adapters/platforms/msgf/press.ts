import type { Inbound } from "../../../lib/contracts/board/platform-tag.js";
import { idsOf, mayPress } from "./admission.js";
import { chatTypeOf, emptyEvent, NOBODY, personOf, timeOf } from "./normalise.js";
import type { ReceiveParts } from "./receive-parts.js";
import type { WireEvent, WirePress } from "./wire.js";

/** The event of a pressed button; undefined: it is none of ours. `resolved`: its card shows the decision already. */
export async function pressOf(
  { settings, chats, identity, places }: ReceiveParts,
  { header }: WireEvent,
  press: WirePress,
  signal: AbortSignal,
): Promise<Inbound | "resolved" | undefined> {
  const data = dataOf(press.action.value);
  if (data === undefined) return undefined;
  if (places.isDecided(press.context?.open_message_id ?? "")) return "resolved";
  const ids = idsOf(press.operator);
  const self = await identity.now(signal);
  if (ids.some((id) => id === self.openId || id === self.userId)) return undefined;
  const chat = press.context?.open_chat_id || null;
  const chatType = chatTypeOf(chat === null ? "p2p" : await chats.typeOf(chat, signal));
  const decided =
    chatType === "dm" || chat === null
      ? {}
      : { decided: mayPress(chat, ids, settings.rules) ? ("allow" as const) : ("deny" as const) };
  return {
    ...emptyEvent(settings.appId, header.event_id),
    kind: "button",
    text: data,
    extra: { data },
    sentAt: timeOf(header.create_time),
    source: {
      ...NOBODY,
      ...personOf(press.operator),
      chatId: chat,
      chatType,
      messageId: press.context?.open_message_id || null,
    },
    ...decided,
  };
}

/** What a button was given: the action, and the id of what is decided where it is not part of it. */
function dataOf(value: unknown): string | undefined {
  const read: unknown = typeof value === "string" ? parsed(value) : value;
  if (typeof read !== "object" || read === null) return undefined;
  const { agent_action: action, approval_id: id } = read as { agent_action?: unknown; approval_id?: unknown }; // its fields stay unknown
  if (typeof action !== "string" || action === "") return undefined;
  const named = typeof id === "string" || typeof id === "number" ? String(id) : "";
  return named === "" || action.split(":").includes(named) ? action : `${action}:${named}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no value of ours
  }
}
