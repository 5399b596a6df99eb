import { Secret } from "../../../lib/base/secret.js";
import type { PlatformSettings } from "../../../lib/gateway/settings/platform-settings.js";
import { baseAddress } from "../common/base-address.js";
import {
  accountNamed,
  type ChannelSettings,
  readChannels,
  readSettings,
  type SettingsRead,
  wrongSetting,
} from "../common/settings.js";

export interface MsgfSettings extends ChannelSettings {
  /** Public name of the app, and of the account. */
  readonly appId: string;
  readonly appSecret: Secret;
  /** Without a slash at the end. */
  readonly apiBase: string;
  /** A long connection may be opened without encryption to other machines. */
  readonly insecure: boolean;
  /** Undefined: by the long connection. */
  readonly webhook: WebhookSettings | undefined;
  readonly rules: AdmissionSettings;
  readonly self: { readonly openId: string; readonly userId: string; readonly name: string };
  readonly reactions: boolean;
}

export interface WebhookSettings {
  readonly host: string;
  readonly port: number;
  readonly path: string;
  readonly token: Secret | undefined;
  readonly key: Secret | undefined;
}

const POLICIES = ["open", "allowlist", "blacklist", "admin_only", "disabled"] as const;
export type GroupPolicy = (typeof POLICIES)[number];

/** Who is listened to (gateway part, 16.4.3). */
export interface AdmissionSettings {
  readonly bots: "none" | "mentions" | "all";
  readonly requireMention: boolean;
  readonly mentionAllCounts: boolean;
  readonly policy: GroupPolicy;
  readonly users: readonly string[];
  readonly everybody: boolean;
  readonly admins: readonly string[];
  readonly groups: Readonly<Record<string, GroupRule>>;
}

/** What differs in one group; undefined: as everywhere. */
export interface GroupRule {
  readonly policy: GroupPolicy | undefined;
  readonly allowlist: readonly string[] | undefined;
  readonly blacklist: readonly string[];
  readonly requireMention: boolean | undefined;
}

const DOMAINS: Readonly<Record<string, string>> = {
  feishu: "https://open.feishu.cn",
  lark: "https://open.larksuite.com",
};
const LISTEN_PORT = 8765;

/** Read the settings; the first that cannot be understood is the problem. Reads no network and no disk. */
export function readMsgfSettings(given: PlatformSettings, insecure: () => boolean): SettingsRead<MsgfSettings> {
  return readSettings(() => read(given, insecure()));
}

/** Name of the account, whatever else is wrong. */
export function accountOf(given: PlatformSettings): string {
  return accountNamed(() => given.text("APP_ID")?.trim());
}

function read(given: PlatformSettings, insecure: boolean): MsgfSettings {
  const text = (name: string) => given.text(name)?.trim() ?? "";
  const secret = text("APP_SECRET");
  if (text("APP_ID") === "") throw wrongSetting("MSGF_APP_ID is not set: put the id of the app into the home's .env");
  if (secret === "") throw wrongSetting("MSGF_APP_SECRET is not set: put the secret of the app into the home's .env");
  const mode = text("CONNECTION_MODE") || "websocket";
  if (mode !== "websocket" && mode !== "webhook")
    throw wrongSetting("MSGF_CONNECTION_MODE must be websocket or webhook");
  return {
    appId: text("APP_ID"),
    appSecret: new Secret(secret),
    insecure,
    apiBase: baseOf(text("DOMAIN") || "feishu", insecure),
    webhook: mode === "webhook" ? readWebhook(given, text) : undefined,
    rules: readRules(given, text),
    self: { openId: text("BOT_OPEN_ID"), userId: text("BOT_USER_ID"), name: text("BOT_NAME") },
    reactions: given.flag("REACTIONS", true),
    ...readChannels(given),
  };
}

function readWebhook(given: PlatformSettings, text: (name: string) => string): WebhookSettings {
  const secretOf = (name: string) => (text(name) === "" ? undefined : new Secret(text(name)));
  const token = secretOf("VERIFICATION_TOKEN");
  const key = secretOf("ENCRYPT_KEY");
  if (token === undefined && key === undefined) {
    throw wrongSetting(
      "webhook mode needs MSGF_VERIFICATION_TOKEN or MSGF_ENCRYPT_KEY: without either anybody could post messages",
    );
  }
  const path = text("WEBHOOK_PATH") || "/msgf/webhook";
  if (!path.startsWith("/") || /[?#\s:]/.test(path))
    throw wrongSetting("MSGF_WEBHOOK_PATH is not a path (e.g. /msgf/webhook)");
  const port = given.integer("WEBHOOK_PORT", LISTEN_PORT);
  if (port > 65_535) throw wrongSetting("MSGF_WEBHOOK_PORT is not a port: at most 65535");
  return { host: text("WEBHOOK_HOST") || "127.0.0.1", port, path, token, key };
}

function readRules(given: PlatformSettings, text: (name: string) => string): AdmissionSettings {
  const bots = text("ALLOW_BOTS") || "none";
  if (bots !== "none" && bots !== "mentions" && bots !== "all")
    throw wrongSetting("MSGF_ALLOW_BOTS must be none, mentions or all");
  return {
    bots,
    requireMention: given.flag("REQUIRE_MENTION", true),
    mentionAllCounts: given.flag("MENTION_ALL_COUNTS", false),
    policy: policyOf("MSGF_GROUP_POLICY", text("GROUP_POLICY") || "allowlist"),
    users: given.list("ALLOWED_USERS"),
    everybody: given.flag("ALLOW_ALL_USERS", false),
    admins: given.list("ADMINS"),
    groups: Object.fromEntries(
      Object.entries(given.map("GROUP_RULES")).map(([chat, rule]) => [chat, ruleOf(chat, rule)]),
    ),
  };
}

function ruleOf(chat: string, given: unknown): GroupRule {
  const at = `group_rules.${chat}`;
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw wrongSetting(`msgf.${at} has to be a map`);
  const rule = given as Readonly<Record<string, unknown>>; // a map of YAML has texts as keys
  const list = (name: string) => {
    const value = rule[name];
    return value === undefined || value === null
      ? undefined
      : (Array.isArray(value) ? value : String(value).split(",")).map((one) => String(one).trim());
  };
  const mention = rule["require_mention"];
  if (mention !== undefined && typeof mention !== "boolean")
    throw wrongSetting(`msgf.${at}.require_mention has to be true or false`);
  const policy = rule["policy"];
  return {
    policy: policy === undefined ? undefined : policyOf(`msgf.${at}.policy`, String(policy)),
    allowlist: list("allowlist"),
    blacklist: list("blacklist") ?? [],
    requireMention: mention,
  };
}

function policyOf(name: string, given: string): GroupPolicy {
  const found = POLICIES.find((one) => one === given);
  if (found === undefined) throw wrongSetting(`${name} must be one of ${POLICIES.join(", ")}`);
  return found;
}

function baseOf(domain: string, insecure: boolean): string {
  const base = Object.hasOwn(DOMAINS, domain) ? (DOMAINS[domain] ?? "") : domain;
  if (!/^https?:/i.test(base)) throw wrongSetting(`MSGF_DOMAIN must be feishu, lark or an http address: ${domain}`);
  return baseAddress("MSGF_DOMAIN", base, insecure);
}
