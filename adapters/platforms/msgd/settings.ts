import { AppError } from "../../../lib/base/errors.js";
import { Secret } from "../../../lib/base/secret.js";
import type { PlatformSettings } from "../../../lib/gateway/settings.js";

export interface MsgdSettings {
  readonly token: Secret;
  /** Id of the bot, which the first part of its token says, and public. */
  readonly account: string;
  /** Without a slash at the end and without the version. */
  readonly apiBase: string;
  /** The websocket may be without encryption on any host. */
  readonly insecure: boolean;
  readonly rules: ReceiveRules;
  readonly autoThread: boolean;
  readonly noThreadChannels: readonly string[];
  readonly backfill: boolean;
  readonly backfillLimit: number;
  readonly catchUp: boolean;
  readonly reactions: boolean;
  /** Answers to commands are for the one who gave them alone. */
  readonly privateNotices: boolean;
  readonly replyMode: "off" | "first" | "all";
  /** What of `users` and `replied_user` may be called by a message. */
  readonly mentions: readonly string[];
  readonly commandSync: "safe" | "bulk" | "off";
  /** Bytes; 0: no limit. */
  readonly maxAttachmentBytes: number;
  readonly anyAttachment: boolean;
  readonly prompts: Readonly<Record<string, string>>;
  readonly skills: Readonly<Record<string, readonly string[]>>;
}

/** Which messages are meant for the bot (gateway part, 16.2.2). Lists that are empty say nothing. */
export interface ReceiveRules {
  readonly bots: "none" | "mentions" | "all";
  readonly allowedRoles: readonly string[];
  /** Guild whose roles count in direct chats. */
  readonly dmRoleGuild: string | undefined;
  readonly ignoreNoMention: boolean;
  readonly allowedChannels: readonly string[];
  readonly ignoredChannels: readonly string[];
  readonly freeChannels: readonly string[];
  readonly requireMention: boolean;
  readonly threadRequireMention: boolean;
}

/** `problem` names the setting and what to do. */
export type MsgdRead = { readonly settings: MsgdSettings } | { readonly problem: string };

const OFFICIAL = "https://discord.com/api";
/** Id of the bot in base64, then time and signature. */
const TOKEN = /^([\w-]{4,40}={0,2})\.[\w-]{1,20}\.[\w-]{6,100}$/;
const MAX_BYTES = 32 << 20;

/** Read the settings; the first that cannot be understood is the problem. Reads no network and no disk. */
export function readMsgdSettings(given: PlatformSettings, gateway: PlatformSettings): MsgdRead {
  try {
    return { settings: read(given, gateway) };
  } catch (error) {
    if (error instanceof AppError && error.code === "E_CONFIG") return { problem: error.message };
    throw error;
  }
}

/** Name of the account, whatever else is wrong. */
export function accountOf(given: PlatformSettings): string {
  try {
    return idIn(given.text("BOT_TOKEN")?.trim() ?? "") ?? "unknown";
  } catch {
    return "unknown"; // reading the settings says what is wrong
  }
}

function idIn(token: string): string | undefined {
  const id = Buffer.from(TOKEN.exec(token)?.[1] ?? "", "base64").toString("latin1");
  return /^\d{1,20}$/.test(id) ? id : undefined;
}

const wrong = (message: string) => new AppError("E_CONFIG", message, { hint: "change it in .env or config.yaml" });

function read(given: PlatformSettings, gateway: PlatformSettings): MsgdSettings {
  const text = (name: string) => given.text(name)?.trim() ?? "";
  const token = text("BOT_TOKEN");
  if (token === "") throw wrong("MSGD_BOT_TOKEN is not set: put the token of the bot into the home's .env");
  const account = idIn(token);
  if (account === undefined) throw wrong("MSGD_BOT_TOKEN is no bot token: it has three parts with dots between them");
  if (text("PROXY") !== "") throw wrong("MSGD_PROXY is set, but this version connects directly: remove it");
  const insecure = gateway.flag("ALLOW_INSECURE_API_BASE", false);
  return {
    ...{ token: new Secret(token), account, insecure },
    apiBase: baseOf(text("API_BASE"), insecure),
    rules: rulesOf(given),
    autoThread: given.flag("AUTO_THREAD", true),
    noThreadChannels: given.list("NO_THREAD_CHANNELS"),
    backfill: given.flag("HISTORY_BACKFILL", true),
    backfillLimit: Math.min(100, given.integer("HISTORY_BACKFILL_LIMIT", 50)),
    catchUp: given.flag("CATCH_UP", true),
    reactions: given.flag("REACTIONS", true),
    privateNotices: oneOf(given, "NOTICE_DELIVERY", ["public", "private"]) === "private",
    replyMode: oneOf(given, "REPLY_TO_MODE", ["first", "off", "all"]),
    mentions: mentionsOf(given),
    commandSync: oneOf(given, "COMMAND_SYNC_POLICY", ["safe", "bulk", "off"]),
    maxAttachmentBytes: given.integer("MAX_ATTACHMENT_BYTES", MAX_BYTES),
    anyAttachment: given.flag("ALLOW_ANY_ATTACHMENT", false),
    prompts: Object.fromEntries(Object.entries(given.map("CHANNEL_PROMPTS")).map(([chat, one]) => [chat, String(one)])),
    skills: Object.fromEntries(Object.entries(given.map("CHANNEL_SKILL_BINDINGS")).map(([chat, one]) => [chat, namesOf(one)])),
  };
}

const namesOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [String(value)]);

function rulesOf(given: PlatformSettings): ReceiveRules {
  return {
    bots: oneOf(given, "ALLOW_BOTS", ["none", "mentions", "all"]),
    allowedRoles: given.list("ALLOWED_ROLES"),
    dmRoleGuild: given.text("DM_ROLE_AUTH_GUILD")?.trim() || undefined,
    ignoreNoMention: given.flag("IGNORE_NO_MENTION", true),
    allowedChannels: given.list("ALLOWED_CHANNELS"),
    ignoredChannels: given.list("IGNORED_CHANNELS"),
    freeChannels: given.list("FREE_RESPONSE_CHANNELS"),
    requireMention: given.flag("REQUIRE_MENTION", true),
    threadRequireMention: given.flag("THREAD_REQUIRE_MENTION", false),
  };
}

/** The first choice is what holds when nothing is said. */
function oneOf<T extends string>(given: PlatformSettings, name: string, choices: readonly [T, ...T[]]): T {
  const said = given.text(name)?.trim().toLowerCase() ?? "";
  const found = choices.find((one) => one === said);
  if (found === undefined && said !== "") throw wrong(`MSGD_${name} has to be ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`);
  return found ?? choices[0];
}

const CALLABLE = ["users", "replied_user"];

/** They may be narrowed, and never widened: no message calls everyone or a role. */
function mentionsOf(given: PlatformSettings): readonly string[] {
  const said = listOf(given);
  const set = said.length === 0 ? undefined : said.filter((one) => one !== "none");
  const wider = set?.find((one) => !CALLABLE.includes(one));
  if (wider !== undefined) throw wrong(`MSGD_ALLOW_MENTIONS cannot hold ${wider}: only users and replied_user`);
  return set ?? CALLABLE;
}

const listOf = (given: PlatformSettings) => given.list("ALLOW_MENTIONS");

function baseOf(given: string, insecure: boolean): string {
  const base = given || OFFICIAL;
  const url = URL.canParse(base) ? new URL(base) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw wrong(`MSGD_API_BASE is no http address: ${base}`);
  if (url.protocol === "http:" && !insecure && !isLoopback(url.hostname)) throw wrong("MSGD_API_BASE is not encrypted: use https");
  return base.replace(/\/+$/, "");
}

/** A host of this machine. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(host);
