import type { ProxyAddress } from "../../../lib/base/net/net.js";
import { Secret } from "../../../lib/base/secret.js";
import { mayBacktrack } from "../../../lib/base/text/regex.js";
import type { PlatformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { isAddress } from "../../../lib/safety/net/address.js";
import { parseProxy } from "../../../lib/safety/net/tunnel.js";
import { baseAddress } from "../common/base-address.js";
import {
  accountNamed,
  type ChannelSettings,
  readChannels,
  readSettings,
  type SettingsRead,
  wrongSetting,
} from "../common/settings.js";

export interface MsgtSettings extends ChannelSettings {
  readonly token: Secret;
  /** Number of the bot, which is the first part of its token and public. */
  readonly account: string;
  /** Without a slash at the end. */
  readonly apiBase: string;
  readonly fileBase: string;
  /** Undefined: connections are direct. */
  readonly proxy: ProxyAddress | undefined;
  /** Tried when the name of a base address cannot be resolved. */
  readonly fallbackAddresses: readonly string[];
  readonly groups: GroupSettings;
  readonly quotes: boolean;
  /** `important`: only answers and approvals make a sound. */
  readonly notifications: "important" | "all";
  readonly linkPreviews: boolean;
  /** The Bot API server runs on this machine with `--local`: files have 2 GB and are named by their path here. */
  readonly localMode: boolean;
  /** Tables, task lists, details and formulas are sent in the platform's richer form. */
  readonly richMessages: boolean;
  /** A topic takes the title of its conversation. */
  readonly renamesTopics: boolean;
  /** Topics of direct chats that the operator named. */
  readonly declaredTopics: readonly DeclaredTopic[];
  /** 👀 while a message is worked on, then 👍 or 👎. */
  readonly reactions: boolean;
  /** Undefined: it polls. */
  readonly webhook: WebhookSettings | undefined;
}

/** How the platform reaches us. */
export interface WebhookSettings {
  /** What is sent to the platform. */
  readonly url: string;
  /** Path of it, at which we listen. */
  readonly path: string;
  readonly secret: Secret;
  readonly host: string;
  readonly port: number;
}

export interface DeclaredTopic {
  readonly chat: string;
  readonly thread: string;
  readonly skill: string | undefined;
}

/** Which messages of groups are meant for the bot (gateway part, 16.1.5). Lists that are empty say nothing. */
export interface GroupSettings {
  readonly requireMention: boolean;
  readonly exclusiveMentions: boolean;
  readonly guestMode: boolean;
  readonly patterns: readonly RegExp[];
  readonly freeChats: readonly string[];
  readonly allowedChats: readonly string[];
  readonly allowedTopics: readonly string[];
  readonly ignoredThreads: readonly string[];
  /** What others say to each other stands before the next message for the bot. */
  readonly observes: boolean;
}

const OFFICIAL = "https://api.telegram.org";
const TOKEN = /^(\d{1,20}):[\w-]{1,128}$/;

/** Read the settings; the first that cannot be understood is the problem. Reads no network and no disk. */
export function readMsgtSettings(
  given: PlatformSettings,
  insecure: () => boolean = () => false,
): SettingsRead<MsgtSettings> {
  return readSettings(() => read(given, insecure));
}

/** Name of the account, whatever else is wrong. */
export function accountOf(given: PlatformSettings): string {
  return accountNamed(() => TOKEN.exec(given.text("BOT_TOKEN")?.trim() ?? "")?.[1]);
}

function read(given: PlatformSettings, insecure: () => boolean): MsgtSettings {
  const text = (name: string) => given.text(name)?.trim() ?? "";
  const token = text("BOT_TOKEN");
  if (token === "") throw wrongSetting("MSGT_BOT_TOKEN is not set: put the token of the bot into the home's .env");
  if (!TOKEN.test(token)) throw wrongSetting("MSGT_BOT_TOKEN is not a bot token; it must look like 123456:ABC-DEF");
  const proxy = text("PROXY") === "" ? undefined : parseProxy(text("PROXY"));
  if (text("PROXY") !== "" && proxy === undefined)
    throw wrongSetting("MSGT_PROXY must be http://host:port or socks5://host:port");
  const fallbackAddresses = given.list("FALLBACK_IPS");
  const wrongAddress = fallbackAddresses.find((one) => !isAddress(one));
  if (wrongAddress !== undefined) throw wrongSetting(`MSGT_FALLBACK_IPS must be IP addresses, not ${wrongAddress}`);
  const mode = text("REPLY_TO_MODE") || "first";
  if (!["off", "first", "all"].includes(mode)) throw wrongSetting("MSGT_REPLY_TO_MODE must be off, first or all");
  const notifications = text("NOTIFICATIONS") || "important";
  if (notifications !== "important" && notifications !== "all")
    throw wrongSetting("MSGT_NOTIFICATIONS must be important or all");
  const declared = topicsOf(given, "DM_TOPICS");
  const channels = readChannels(given);
  return {
    token: new Secret(token),
    account: accountOf(given),
    quotes: mode !== "off",
    notifications,
    apiBase: baseAddress("MSGT_API_BASE", text("API_BASE") || text("BASE_URL") || OFFICIAL, insecure()),
    fileBase: baseAddress("MSGT_FILE_BASE", text("FILE_BASE") || text("BASE_FILE_URL") || OFFICIAL, insecure()),
    groups: readGroups(given),
    proxy,
    fallbackAddresses,
    localMode: given.flag("LOCAL_MODE", false),
    richMessages: given.flag("RICH_MESSAGES", false),
    linkPreviews: !given.flag("DISABLE_LINK_PREVIEWS", false),
    prompts: channels.prompts,
    skills: {
      ...channels.skills,
      ...Object.fromEntries([...declared, ...topicsOf(given, "GROUP_TOPICS")].flatMap(skillOf)),
    },
    renamesTopics: !given.flag("DISABLE_TOPIC_AUTO_RENAME", false),
    declaredTopics: declared,
    reactions: given.flag("REACTIONS", false),
    webhook: text("WEBHOOK_URL") === "" ? undefined : readWebhook(given, text),
  };
}

const LISTEN_PORT = 8443;

function readWebhook(given: PlatformSettings, text: (name: string) => string): WebhookSettings {
  const url = text("WEBHOOK_URL");
  if (!URL.canParse(url) || !/^https?:\/\//i.test(url))
    throw wrongSetting(`MSGT_WEBHOOK_URL is not an http URL: ${url}`);
  const secret = text("WEBHOOK_SECRET");
  if (!/^[A-Za-z0-9_-]{1,256}$/.test(secret)) {
    throw wrongSetting(
      "MSGT_WEBHOOK_SECRET is needed with MSGT_WEBHOOK_URL: 1 to 256 letters, digits, _ or -, which only the platform gets to know",
    );
  }
  const port = given.integer("WEBHOOK_PORT", LISTEN_PORT);
  if (port > 65_535) throw wrongSetting("MSGT_WEBHOOK_PORT is not a port: at most 65535");
  return {
    url,
    path: new URL(url).pathname,
    secret: new Secret(secret),
    host: text("WEBHOOK_HOST") || "0.0.0.0",
    port,
  };
}

/** `<chat>: {<thread>: {name, skill}}`. */
function topicsOf(given: PlatformSettings, name: string): readonly DeclaredTopic[] {
  return Object.entries(given.map(name)).flatMap(([chat, threads]) =>
    Object.entries(isMap(threads) ? threads : {}).map(([thread, one]) => {
      const skill = isMap(one) ? one["skill"] : undefined;
      return { chat, thread, skill: typeof skill === "string" && skill !== "" ? skill : undefined };
    }),
  );
}

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const skillOf = ({ chat, thread, skill }: DeclaredTopic): readonly [string, readonly string[]][] =>
  skill === undefined ? [] : [[`${chat}:${thread}`, [skill]]];

function readGroups(given: PlatformSettings): GroupSettings {
  return {
    requireMention: given.flag("REQUIRE_MENTION", false),
    exclusiveMentions: given.flag("EXCLUSIVE_BOT_MENTIONS", true),
    guestMode: given.flag("GUEST_MODE", false),
    patterns: patternsOf(given).map(patternOf),
    freeChats: given.list("FREE_RESPONSE_CHATS"),
    allowedChats: given.list("ALLOWED_CHATS"),
    allowedTopics: given.list("ALLOWED_TOPICS"),
    ignoredThreads: given.list("IGNORED_THREADS"),
    observes: given.flag("OBSERVE_UNMENTIONED_GROUP_MESSAGES", false),
  };
}

/** A JSON list, so that a pattern may hold a comma, or what every list may be. */
function patternsOf(given: PlatformSettings): readonly string[] {
  const list = given.list("MENTION_PATTERNS");
  if (list[0]?.startsWith("[") !== true) return list;
  try {
    const read: unknown = JSON.parse(given.text("MENTION_PATTERNS") ?? "");
    return Array.isArray(read) ? read.map(String) : list;
  } catch {
    return list; // a pattern may begin with a bracket
  }
}

function patternOf(text: string): RegExp {
  if (mayBacktrack(text)) throw wrongSetting(`MSGT_MENTION_PATTERNS holds a pattern that may take too long: ${text}`);
  try {
    return new RegExp(text, "iu");
  } catch {
    throw wrongSetting(`MSGT_MENTION_PATTERNS holds no regular expression: ${text}`);
  }
}
