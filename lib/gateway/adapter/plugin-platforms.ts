import { AppError } from "../../base/errors.js";
import { isRecord } from "../../base/json/record.js";
import type { Log } from "../../base/log/log.js";
import { addPlatformTag, type Inbound, PLATFORM_TAGS, type PlatformTag } from "../../contracts/board/platform-tag.js";
import type { Outgoing, Receipt } from "../../contracts/gateway/outbox.js";
import {
  ADAPTER_CODES,
  type AdapterCode,
  type AdapterEvents,
  type Platform,
} from "../../contracts/gateway/platform.js";
import { addTraits, capsOf, type OwnTraits } from "../../contracts/gateway/platform-traits.js";
import type { PluginProvider } from "../../contracts/plugins/context.js";
import type { PlatformDefinition, PlatformEntry, PlatformPorts } from "./define-platform.js";

/** What the adapter of a plugin is made with. */
export interface PluginPlatformPorts {
  /** Value of `<TAG>_<name>`, or of its twin in config.yaml. */
  setting(name: string): string | undefined;
  /** Hand over a message. `busy`: it could not be stored; deliver it again. */
  receive(message: PluginInbound): Promise<"accepted" | "duplicate" | "refused" | "busy">;
  /** The connection is gone; it is opened again. */
  lost(reason: string): void;
  readonly log: Pick<Log, "info" | "warning" | "error">;
}

/** One message of a person. */
export interface PluginInbound {
  /** The platform's own, the same for the same message. */
  readonly id: string;
  readonly chatId: string;
  readonly text: string;
  readonly userId?: string;
  readonly userName?: string;
  readonly chatName?: string;
  /** Default `dm`. */
  readonly chatType?: "dm" | "group" | "channel";
  readonly threadId?: string;
  readonly replyToMessageId?: string;
  readonly replyToText?: string;
  /** Milliseconds. */
  readonly sentAt?: number;
}

/** One message to a chat. */
export interface PluginOutbound {
  readonly chatId: string;
  readonly threadId: string | null;
  readonly replyTo: string | null;
  readonly text: string;
  readonly silent: boolean;
  readonly file?: { readonly path: string; readonly name: string; readonly mime: string; readonly kind: string };
  /** The same for every attempt to send this message. */
  readonly key: string;
}

/** The adapter that `create` returns. */
export interface PluginAdapter {
  /** Name of the bot identity, known from the settings. Default: the platform's. */
  readonly account?: string;
  /** Start receiving. Throws with a `code` of the gateway (`auth_failed`, `network`) or without one. */
  connect(signal: AbortSignal): unknown;
  disconnect?(): unknown;
  /** @returns `{messageId}`. Throws with `refused: true` where it is certain that the message did not arrive, and `retryable` where it may later. */
  send(message: PluginOutbound, signal: AbortSignal): unknown;
  /** Markdown as the platform writes it. */
  format?(markdown: string): string;
  typing?(chatId: string, on: boolean, signal: AbortSignal): unknown;
}

/** What a plugin hands to `registerPlatform`. */
export interface PluginPlatform extends PluginProvider {
  readonly summary?: string;
  /** Variables without the tag that all have to be set. */
  readonly credentials?: readonly string[];
  /** Characters of one message. Default 4,000. */
  readonly textMax?: number;
  create(ports: PluginPlatformPorts): PluginAdapter;
}

const TEXT_MAX = 4_000;
const MESSAGE_CHARS = 100_000;
const ID_CHARS = 512;

interface Brought {
  readonly entry: PlatformEntry;
  /** Another one for another instance of the plugin. */
  readonly generation: number;
}

const brought = new Map<string, Brought>();
const listeners = new Set<() => void>();
let generations = 0;

/** Platforms that plugins of this process have brought. */
export const pluginPlatforms = (): readonly PlatformEntry[] => [...brought.values()].map(({ entry }) => entry);

/** Changes when the plugin that brings the platform is replaced; undefined: no plugin brings it. */
export const pluginGeneration = (tag: string): number | undefined => brought.get(tag)?.generation;

/** Told when a plugin has brought a platform or has taken it back. @returns stops it */
export function onPluginPlatforms(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @returns takes the platform back @throws E_INVALID the object does not hold, or the platform is known */
export function bringPlatform(provider: PluginProvider): () => void {
  const given = checked(provider);
  const tag = given.name as PlatformTag; // from here on it is one
  const { credentials = [], summary = `Platform ${tag} of a plugin.`, textMax = TEXT_MAX } = given;
  const traits: OwnTraits = { caps: { textMax, edits: false, buttons: "no" } };
  const forgetTag = addPlatformTag(tag);
  const forgetTraits = addTraits(tag, traits);
  const definition: PlatformDefinition = {
    tag,
    summary,
    traits,
    credentials,
    create: (ports) => toPlatform(tag, given, ports),
  };
  generations += 1;
  brought.set(tag, { entry: { tag, summary, credentials, load: async () => definition }, generation: generations });
  for (const listener of listeners) listener();
  return () => {
    brought.delete(tag);
    forgetTag();
    forgetTraits();
    for (const listener of listeners) listener();
  };
}

function checked(provider: PluginProvider): PluginPlatform {
  const given = provider as PluginPlatform; // as far as it holds
  const { name, credentials = [], textMax = TEXT_MAX } = given;
  const wrong = (what: string) => new AppError("E_INVALID", `platform ${name}: ${what}`);
  if (!/^[a-z][a-z0-9]{1,15}$/.test(name)) throw wrong("a name of 2 to 16 lower-case letters and digits is wanted");
  if (PLATFORM_TAGS.some((tag) => tag === name)) throw wrong("there is a platform of this name");
  if (
    !Array.isArray(credentials) ||
    !credentials.every((one) => typeof one === "string" && /^[A-Z][A-Z0-9_]*$/.test(one))
  )
    throw wrong("credentials must be names of variables without the tag: [BOT_TOKEN]");
  if (!Number.isInteger(textMax) || textMax < 100) throw wrong("textMax must be a whole number of at least 100");
  return given;
}

function toPlatform(tag: PlatformTag, given: PluginPlatform, ports: PlatformPorts): Platform {
  let reports: AdapterEvents | undefined;
  const adapter = given.create({
    setting: (name) => ports.settings.text(String(name)),
    receive: async (message) => ports.inlet.accept(toInbound({ platform: tag, account }, message)),
    lost: (reason) => reports?.lost({ code: "network", message: textOf(reason) || "the connection ended" }),
    log: ports.log,
  });
  const account = textOf(adapter.account) || tag;
  const format = (markdown: string): string =>
    adapter.format === undefined ? markdown : String(adapter.format(markdown));
  return {
    tag,
    account,
    caps: capsOf(tag),
    format,
    connect: async (told, signal) => {
      reports = told;
      try {
        await adapter.connect(signal);
        return { connected: true };
      } catch (error) {
        return { connected: false, code: codeOf(error), message: messageOf(error) };
      }
    },
    disconnect: async () => {
      reports = undefined;
      await adapter.disconnect?.();
    },
    send: (row, signal) => send(adapter, format, row, signal),
    typing: async (chatId, on, signal) => {
      await adapter.typing?.(chatId, on, signal);
    },
  };
}

/** An error that does not say that the message did not arrive makes the outcome unknown: the message is never repeated. */
async function send(
  adapter: PluginAdapter,
  format: (markdown: string) => string,
  { payload, target, idemKey }: Outgoing,
  signal: AbortSignal,
): Promise<Receipt> {
  const { file, silent } = payload;
  try {
    const answer: unknown = await adapter.send(
      {
        chatId: target.chatId,
        threadId: target.threadId,
        replyTo: target.replyTo,
        text: payload.format === "markdown" ? format(payload.text) : payload.text,
        silent,
        key: idemKey,
        ...(file === undefined ? {} : { file: { ...file } }),
      },
      signal,
    );
    const id = isRecord(answer) ? answer["messageId"] : undefined;
    return { result: "sent", messageId: id === undefined || id === null ? null : String(id).slice(0, ID_CHARS) };
  } catch (error) {
    const told: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "refused") : undefined;
    if (told !== true) return { result: "unknown", error: messageOf(error) };
    return {
      result: "refused",
      error: messageOf(error),
      retryable: Reflect.get(error as object, "retryable") === true,
    };
  }
}

function toInbound(of: Pick<Inbound, "platform" | "account">, message: PluginInbound): Inbound {
  const { chatType = "dm", sentAt } = message;
  const eventId = textOf(message.id).slice(0, ID_CHARS);
  const chatId = textOf(message.chatId);
  if (eventId === "" || chatId === "")
    throw new AppError("E_INVALID", `platform ${of.platform}: receive wants a message with id, chatId and text`);
  const text = textOf(message.text).slice(0, MESSAGE_CHARS);
  const kind = /^\/[a-z]/i.test(text) ? "command" : "message";
  return {
    ...of,
    eventId,
    kind,
    type: kind === "command" ? "command" : "text",
    text,
    source: {
      chatId,
      chatName: textOr(message.chatName),
      chatType: chatType === "group" || chatType === "channel" ? chatType : "dm",
      userId: textOr(message.userId),
      userIdAlt: null,
      userName: textOr(message.userName),
      threadId: textOr(message.threadId),
      chatTopic: null,
      chatIdAlt: null,
      guildId: null,
      parentChatId: null,
      messageId: eventId,
    },
    media: [],
    replyToMessageId: textOr(message.replyToMessageId),
    replyToText: textOr(message.replyToText)?.slice(0, 500) ?? null,
    channelPrompt: null,
    skills: [],
    internal: false,
    extra: null,
    replyGrant: null,
    sentAt: typeof sentAt === "number" && Number.isFinite(sentAt) ? sentAt : null,
  };
}

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";
const textOr = (value: unknown): string | null => textOf(value) || null;
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 500);

function codeOf(error: unknown): AdapterCode {
  const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" && Object.hasOwn(ADAPTER_CODES, code) ? (code as AdapterCode) : "platform_error"; // it is one of them
}
