import { mayBacktrack } from "../../../lib/base/regex.js";
import { Secret } from "../../../lib/base/secret.js";

/** Where the settings of the platform come from: a variable wins over the block (gateway part, 4.1). */
export interface MsgtSource {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Block `platforms.msgt` of the configuration. */
  readonly block: Readonly<Record<string, unknown>>;
  /** `gateway.allow_insecure_api_base` */
  readonly allowInsecure: boolean;
}

export interface MsgtSettings {
  readonly token: Secret;
  /** Number of the bot, which is the first part of its token and public. */
  readonly account: string;
  /** Without a slash at the end. */
  readonly apiBase: string;
  readonly fileBase: string;
  readonly groups: GroupSettings;
  readonly quotes: boolean;
  /** `important`: only answers and approvals make a sound. */
  readonly notifications: "important" | "all";
  readonly linkPreviews: boolean;
  readonly prompts: Readonly<Record<string, string>>;
  readonly skills: Readonly<Record<string, readonly string[]>>;
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
}

/** `problem` names the setting and what to do. */
export type MsgtRead = { readonly settings: MsgtSettings } | { readonly problem: string };

const OFFICIAL = "https://api.telegram.org";
const TOKEN = /^(\d{1,20}):[\w-]{1,128}$/;
const YES = new Set(["true", "1", "yes", "on"]);
const NO = new Set(["false", "0", "no", "off"]);

class Wrong extends Error {}

/** Read the settings; the first that cannot be understood is the problem. Reads no network and no disk. */
export function readMsgtSettings(source: MsgtSource): MsgtRead {
  try {
    return { settings: read(source) };
  } catch (error) {
    if (error instanceof Wrong) return { problem: error.message };
    throw error;
  }
}

/** Name of the account, whatever else is wrong. */
export function accountOf({ env, block }: MsgtSource): string {
  return TOKEN.exec(textOf(env["MSGT_BOT_TOKEN"] ?? block["bot_token"] ?? ""))?.[1] ?? "unknown";
}

function read(source: MsgtSource): MsgtSettings {
  const { env, block } = source;
  const text = (key: string) => textIn(source, key);
  const token = text("bot_token");
  if (token === "") throw new Wrong("MSGT_BOT_TOKEN is not set: put the token of the bot into the home's .env");
  if (!TOKEN.test(token)) throw new Wrong("MSGT_BOT_TOKEN is no bot token: it looks like 123456:ABC-DEF");
  if (text("webhook_url") !== "") throw new Wrong("MSGT_WEBHOOK_URL is set, but this version only polls: remove it");
  if (text("proxy") !== "") throw new Wrong("MSGT_PROXY is set, but this version connects directly: remove it");
  const mode = text("reply_to_mode") || "first";
  if (!["off", "first", "all"].includes(mode)) throw new Wrong("MSGT_REPLY_TO_MODE must be off, first or all");
  const notifications = (env["AGENT_MSGT_NOTIFICATIONS"] ?? "") || "important";
  if (notifications !== "important" && notifications !== "all") throw new Wrong("AGENT_MSGT_NOTIFICATIONS must be important or all");
  const apiBase = baseOf(source, "MSGT_API_BASE", text("api_base") || text("base_url"));
  return {
    ...{ token: new Secret(token), account: accountOf(source), apiBase },
    fileBase: baseOf(source, "MSGT_FILE_BASE", text("file_base") || text("base_file_url")),
    groups: readGroups(source),
    ...{ quotes: mode !== "off", notifications, linkPreviews: !flagIn(source, "disable_link_previews", false) },
    prompts: Object.fromEntries(entriesOf(block["channel_prompts"]).map(([chat, one]) => [chat, textOf(one)])),
    skills: Object.fromEntries(
      entriesOf(block["channel_skill_bindings"]).map(([chat, one]) => [chat, listOf("channel_skill_bindings", one)]),
    ),
  };
}

function readGroups(source: MsgtSource): GroupSettings {
  const list = (key: string) => listOf(nameOf(key), valueIn(source, key));
  return {
    requireMention: flagIn(source, "require_mention", false),
    exclusiveMentions: flagIn(source, "exclusive_bot_mentions", true),
    guestMode: flagIn(source, "guest_mode", false),
    patterns: list("mention_patterns").map(patternOf),
    freeChats: list("free_response_chats"),
    allowedChats: list("allowed_chats"),
    allowedTopics: list("allowed_topics"),
    ignoredThreads: list("ignored_threads"),
  };
}

const nameOf = (key: string) => `MSGT_${key.toUpperCase()}`;
const entriesOf = (value: unknown) => (typeof value === "object" && value !== null ? Object.entries(value) : []);

function valueIn({ env, block }: MsgtSource, key: string): unknown {
  return env[nameOf(key)] ?? block[key];
}

function textIn(source: MsgtSource, key: string): string {
  return textOf(valueIn(source, key) ?? "").trim();
}

function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "bigint" ? String(value) : "";
}

function flagIn(source: MsgtSource, key: string, otherwise: boolean): boolean {
  const value = valueIn(source, key) ?? "";
  const text = String(value).trim().toLowerCase();
  if (text === "") return otherwise;
  if (YES.has(text)) return true;
  if (NO.has(text)) return false;
  throw new Wrong(`${nameOf(key)} must be true or false`);
}

/** Comma lists, JSON lists and lists; numbers as their exact texts. */
function listOf(name: string, value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((one) => itemOf(name, one));
  if (typeof value !== "string") return [itemOf(name, value)];
  if (value.trim().startsWith("[")) {
    try {
      return listOf(name, JSON.parse(value));
    } catch (error) {
      if (error instanceof Wrong) throw error;
      // A pattern may begin with a bracket: then it is a comma list.
    }
  }
  return value.split(",").flatMap((one) => one.trim() || []);
}

function itemOf(name: string, value: unknown): string {
  if (typeof value === "number" && !Number.isSafeInteger(value)) throw new Wrong(`${name} holds a number that is too large: quote it`);
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new Wrong(`${name} must be a list of texts`);
}

function patternOf(text: string): RegExp {
  if (mayBacktrack(text)) throw new Wrong(`MSGT_MENTION_PATTERNS holds a pattern that may take too long: ${text}`);
  try {
    return new RegExp(text, "iu");
  } catch {
    throw new Wrong(`MSGT_MENTION_PATTERNS holds no regular expression: ${text}`);
  }
}

function baseOf({ allowInsecure }: MsgtSource, name: string, given: string): string {
  const base = given || OFFICIAL;
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) throw new Wrong(`${name} is no http address: ${base}`);
  const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === "http:" && !loopback && !allowInsecure)
    throw new Wrong(`${name} is not encrypted: use https, or set gateway.allow_insecure_api_base`);
  return base.replace(/\/+$/, "");
}
