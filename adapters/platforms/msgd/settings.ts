import { Secret } from "../../../lib/base/secret.js";
import type { PlatformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { baseAddress } from "../common/base-address.js";
import {
  accountNamed,
  type ChannelSettings,
  oneOf,
  readChannels,
  readSettings,
  type SettingsRead,
  wrongSetting,
} from "../common/settings.js";

export interface MsgdSettings extends ChannelSettings {
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

const OFFICIAL = "https://discord.com/api";
/** Id of the bot in base64, then time and signature. */
const TOKEN = /^([\w-]{4,40}={0,2})\.[\w-]{1,20}\.[\w-]{6,100}$/;
const MAX_BYTES = 32 << 20;

/** Read the settings; the first that cannot be understood is the problem. Reads no network and no disk. */
export function readMsgdSettings(given: PlatformSettings, gateway: PlatformSettings): SettingsRead<MsgdSettings> {
  return readSettings(() => read(given, gateway));
}

/** Name of the account, whatever else is wrong. */
export function accountOf(given: PlatformSettings): string {
  return accountNamed(() => idIn(given.text("BOT_TOKEN")?.trim() ?? ""));
}

function idIn(token: string): string | undefined {
  const id = Buffer.from(TOKEN.exec(token)?.[1] ?? "", "base64").toString("latin1");
  return /^\d{1,20}$/.test(id) ? id : undefined;
}

function read(given: PlatformSettings, gateway: PlatformSettings): MsgdSettings {
  const text = (name: string) => given.text(name)?.trim() ?? "";
  const token = text("BOT_TOKEN");
  if (token === "") throw wrongSetting("MSGD_BOT_TOKEN is not set: put the token of the bot into the home's .env");
  const account = idIn(token);
  if (account === undefined)
    throw wrongSetting("MSGD_BOT_TOKEN is not a bot token: it must have three parts separated by dots");
  if (text("PROXY") !== "")
    throw wrongSetting("MSGD_PROXY cannot be used: the event connection of MSGD takes no proxy; remove it");
  const insecure = gateway.flag("ALLOW_INSECURE_API_BASE", false);
  return {
    token: new Secret(token),
    account,
    insecure,
    apiBase: baseAddress("MSGD_API_BASE", text("API_BASE") || OFFICIAL, insecure),
    rules: rulesOf(given),
    autoThread: given.flag("AUTO_THREAD", true),
    noThreadChannels: given.list("NO_THREAD_CHANNELS"),
    backfill: given.flag("HISTORY_BACKFILL", true),
    backfillLimit: Math.min(100, given.integer("HISTORY_BACKFILL_LIMIT", 50)),
    catchUp: given.flag("CATCH_UP", true),
    reactions: given.flag("REACTIONS", true),
    privateNotices: oneOf("MSGD_NOTICE_DELIVERY", given.text("NOTICE_DELIVERY"), ["public", "private"]) === "private",
    replyMode: oneOf("MSGD_REPLY_TO_MODE", given.text("REPLY_TO_MODE"), ["first", "off", "all"]),
    mentions: mentionsOf(given),
    commandSync: oneOf("MSGD_COMMAND_SYNC_POLICY", given.text("COMMAND_SYNC_POLICY"), ["safe", "bulk", "off"]),
    maxAttachmentBytes: given.integer("MAX_ATTACHMENT_BYTES", MAX_BYTES),
    anyAttachment: given.flag("ALLOW_ANY_ATTACHMENT", false),
    ...readChannels(given),
  };
}

function rulesOf(given: PlatformSettings): ReceiveRules {
  return {
    bots: oneOf("MSGD_ALLOW_BOTS", given.text("ALLOW_BOTS"), ["none", "mentions", "all"]),
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

const CALLABLE = ["users", "replied_user"];

/** They may be narrowed, and never widened: no message calls everyone or a role. */
function mentionsOf(given: PlatformSettings): readonly string[] {
  const said = listOf(given);
  const set = said.length === 0 ? undefined : said.filter((one) => one !== "none");
  const wider = set?.find((one) => !CALLABLE.includes(one));
  if (wider !== undefined) throw wrongSetting(`MSGD_ALLOW_MENTIONS cannot hold ${wider}: only users and replied_user`);
  return set ?? CALLABLE;
}

const listOf = (given: PlatformSettings) => given.list("ALLOW_MENTIONS");
