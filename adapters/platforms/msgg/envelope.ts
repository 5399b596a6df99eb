import { parseJsonText } from "../common/http.js";
import { EnvelopeShape, RelayShape, type WireMessage, type WireSpace } from "./wire.js";

/** What a delivery of the subscription holds. `ignored`: it is nothing for us, and why; `unknown`: it was not understood. */
export type Opened =
  | {
      readonly is: "message";
      readonly message: WireMessage;
      readonly space: WireSpace;
      readonly command: string | undefined;
    }
  | { readonly is: "membership"; readonly space: string; readonly status: string; readonly bot: string | undefined }
  | { readonly is: "ignored"; readonly why: string }
  | { readonly is: "unknown"; readonly why: string };

export interface Delivery {
  readonly data: string;
  readonly attributes: Readonly<Record<string, string>>;
}

const CREATED = "google.workspace.chat.message.v1.created";
const MEMBERS = /^google\.workspace\.chat\.membership\.v1\.(\w+)$/;
const CARDS = /^(?:CARD_CLICKED|WIDGET_UPDATED|SUBMIT_FORM|CANCEL_DIALOG)$/;

/** Open an envelope: of an add-on, of the platform itself, or of a relay (gateway part, 16.5.1). */
export function openEnvelope({ data, attributes }: Delivery): Opened {
  const body = parseJsonText(data);
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return { is: "unknown", why: "it is not a JSON object" };
  const kind = attributes["ce-type"] ?? "";
  const member = memberOf(body, kind);
  if (member !== undefined) return member;
  if ("event_type" in body) return relayed(body);
  const chat = "chat" in body && typeof body.chat === "object" && body.chat !== null ? body.chat : {};
  if ("buttonClickedPayload" in chat || "widgetUpdatedPayload" in chat) return { is: "ignored", why: "a card" };
  if ("type" in body && CARDS.test(String(body.type))) return { is: "ignored", why: "a card" };
  const read = EnvelopeShape.safeParse(body);
  if (!read.success) return { is: "unknown", why: read.error.issues[0]?.path.join(".") ?? "" };
  const { chat: addOn, type, message, space } = read.data;
  const command = addOn?.appCommandPayload?.appCommandMetadata?.appCommandId;
  const payload = addOn?.messagePayload ?? addOn?.appCommandPayload;
  if (payload !== undefined) return messageIn(payload.message, payload.space, command);
  if (message === undefined) return { is: "ignored", why: `nothing is done about ${kind || type || "this event"}` };
  if (type === "MESSAGE" || kind === CREATED) return messageIn(message, space, undefined);
  return { is: "ignored", why: `nothing is done about ${kind || type || "this event"}` };
}

function messageIn(message: WireMessage, given: WireSpace | undefined, command: string | undefined): Opened {
  const named = /^(spaces\/[^/\s]+)\/messages\/[^/\s]+$/.exec(message.name)?.[1];
  const space = given ?? message.space ?? (named === undefined ? undefined : { name: named });
  if (space === undefined) return { is: "unknown", why: "it names no space" };
  return { is: "message", message, space: { ...blank, ...space }, command: command ?? message.slashCommand?.commandId };
}

const blank = { displayName: undefined, spaceType: undefined, type: undefined, singleUserBotDm: undefined };

function relayed(body: object): Opened {
  const read = RelayShape.safeParse(body);
  if (!read.success) return { is: "unknown", why: read.error.issues[0]?.path.join(".") ?? "" };
  const {
    sender_email: email,
    sender_type: type,
    text,
    space_name: space,
    thread_name: thread,
    message_name: name,
  } = read.data;
  const message = { name, sender: { email, type }, text, thread: thread === undefined ? undefined : { name: thread } };
  return messageIn(message as WireMessage, { ...blank, name: space }, undefined); // what it lacks is optional
}

/** A person or the bot came or went. */
function memberOf(body: object, kind: string): Opened | undefined {
  const at = (path: readonly string[]) =>
    path.reduce<unknown>((from, key) => (isMap(from) ? from[key] : undefined), body);
  const text = (...path: string[]) => {
    const found = at(path);
    return typeof found === "string" ? found : undefined;
  };
  const change = MEMBERS.exec(kind)?.[1];
  if (change !== undefined) {
    const bot = text("membership", "member", "type") === "BOT" ? text("membership", "member", "name") : undefined;
    const space = /^spaces\/[^/]+/.exec(text("membership", "name") ?? "")?.[0];
    return space === undefined
      ? { is: "ignored", why: "a membership" }
      : { is: "membership", space, status: change, bot };
  }
  const native = text("type");
  const added = native === "ADDED_TO_SPACE" || at(["chat", "addedToSpacePayload"]) !== undefined;
  const removed = native === "REMOVED_FROM_SPACE" || at(["chat", "removedFromSpacePayload"]) !== undefined;
  if (!added && !removed) return undefined;
  const payload = added ? "addedToSpacePayload" : "removedFromSpacePayload";
  const space = text("space", "name") ?? text("chat", payload, "space", "name");
  if (space === undefined) return { is: "ignored", why: "a membership" };
  return { is: "membership", space, status: added ? "added" : "removed", bot: undefined };
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
