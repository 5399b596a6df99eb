import type { Inbound } from "../../../lib/contracts/board/platform-tag.js";
import { channelOf } from "../common/settings.js";
import { admissionOf } from "./admission.js";
import { emptyEvent, NOBODY, normaliseMessage, personOf, timeOf } from "./normalise.js";
import { pressOf } from "./press.js";
import type { ReceiveParts } from "./receive-parts.js";
import { EventShape, MemberShape, MessageShape, PressShape, type WireEvent } from "./wire.js";

/**
 * `done`: it is stored, known, or can never be taken. `busy`: the platform has to deliver it again. `resolved` and `refused`: the presser is notified
 * that it is decided, or that he may not.
 */
export type Taken = "done" | "busy" | "resolved" | "refused";

type Toast = { readonly toast: { readonly type: "info" | "error"; readonly content: string } };

const TOASTS: Readonly<Partial<Record<Taken, Toast>>> = {
  resolved: { toast: { type: "info", content: "This is already resolved." } },
  refused: { toast: { type: "error", content: "⛔ You may not do this." } },
};

/** What the platform shows to the presser of a button only. */
export const toastOf = (taken: Taken): Toast | undefined => TOASTS[taken];

/**
 * Takes events as the platform wrote them, from either way that they come (gateway part, 16.4.3), into the inbox in the order in which they came:
 * one whose quote has to be asked for is not overtaken by the next.
 */
export function createTaker(parts: ReceiveParts): (payload: unknown, signal: AbortSignal) => Promise<Taken> {
  let before: Promise<unknown> = Promise.resolve();
  return (payload, signal) => {
    const reading = readOne(parts, payload, signal);
    // The next one waits until this one is on its way to the store, which keeps the order, and not until it is there.
    const begun = Promise.allSettled([before, reading]).then(() => ({
      taking: reading.then((event) => accepted(parts, event)),
    }));
    before = begun;
    return begun.then(({ taking }) => taking);
  };
}

async function readOne(
  parts: ReceiveParts,
  payload: unknown,
  signal: AbortSignal,
): Promise<Inbound | "resolved" | undefined> {
  const read = EventShape.safeParse(payload).data;
  return read && eventOf(parts, read, signal); // undefined: an older schema, or nothing of ours
}

async function accepted({ inlet, connectedAt }: ReceiveParts, event: Inbound | "resolved" | undefined): Promise<Taken> {
  if (event === undefined) return "done";
  if (event === "resolved") return "resolved";
  const backlog = event.sentAt !== null && event.sentAt < connectedAt;
  if ((await inlet.accept(backlog ? { ...event, backlog: true } : event)) === "busy") return "busy";
  return event.kind === "button" && event.decided === "deny" ? "refused" : "done";
}

async function eventOf(
  parts: ReceiveParts,
  read: WireEvent,
  signal: AbortSignal,
): Promise<Inbound | "resolved" | undefined> {
  switch (read.header.event_type) {
    case "im.message.receive_v1":
      return messageOf(parts, read, signal);
    case "card.action.trigger": {
      const press = PressShape.safeParse(read.event);
      return press.success ? pressOf(parts, read, press.data, signal) : unreadable(parts, read);
    }
    case "im.chat.member.bot.added_v1":
    case "im.chat.member.bot.deleted_v1":
      return memberOf(parts, read);
    default:
      return undefined; // read receipts, documents, meetings, reactions
  }
}

async function messageOf(parts: ReceiveParts, read: WireEvent, signal: AbortSignal): Promise<Inbound | undefined> {
  const found = MessageShape.safeParse(read.event);
  if (!found.success) return unreadable(parts, read);
  const { settings, identity, chats, log } = parts;
  const { message } = found.data;
  const self = await identity.now(signal);
  const verdict = admissionOf(found.data, self, settings.rules);
  if (!verdict.taken) {
    log.debug("a message is left", { tag: "msgf", reason: verdict.why, message: message.message_id });
    return undefined;
  }
  chats.learn(message.chat_id, message.chat_type);
  const quoted = message.parent_id || (message.thread_id ? "" : message.root_id);
  const text = quoted ? await chats.textOf(quoted, signal) : undefined;
  const given = { account: settings.appId, self, decided: verdict.decided, quoted: text };
  const event = normaliseMessage(found.data, read, given);
  return event && { ...event, ...channelOf(settings, [event.source.threadId, event.source.chatId]) };
}

function memberOf({ settings }: ReceiveParts, read: WireEvent): Inbound | undefined {
  const member = MemberShape.safeParse(read.event).data;
  if (member === undefined) return undefined;
  const status = read.header.event_type.includes("added") ? "member" : "left";
  return {
    ...emptyEvent(settings.appId, read.header.event_id),
    kind: "membership",
    extra: { status },
    sentAt: timeOf(read.header.create_time),
    source: {
      ...NOBODY,
      ...personOf(member.operator_id),
      chatId: member.chat_id,
      chatName: member.name || null,
      chatType: "group",
    },
  };
}

/** It can never be taken: it is noted and confirmed. */
function unreadable({ log }: ReceiveParts, { header }: WireEvent): undefined {
  log.warning("an event of the platform cannot be read", {
    tag: "msgf",
    type: header.event_type,
    event: header.event_id,
  });
}
