import { Secret } from "../../../lib/base/secret.js";
import type { Ms } from "../../../lib/base/units.js";
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

export interface MsgxSettings extends ChannelSettings {
  readonly token: Secret;
  readonly account: string;
  /** Without a slash at the end, as `cdnBase`. */
  readonly base: string;
  readonly cdnBase: string;
  readonly routeTag: string | undefined;
  readonly dmPolicy: "open" | "allowlist" | "pairing" | "disabled";
  readonly groupPolicy: "disabled" | "allowlist" | "open";
  readonly allowedUsers: readonly string[];
  /** Ids of group chats, not of their members. */
  readonly allowedGroups: readonly string[];
  readonly splitLines: boolean;
  /** Between two messages to one chat. */
  readonly chunkDelayMs: Ms;
  readonly chunkRetries: number;
  readonly retryDelayMs: Ms;
  readonly circuitWindowMs: Ms;
  readonly circuitOpenMs: Ms;
}

export const OFFICIAL = {
  base: "https://ilinkai.weixin.qq.com",
  cdn: "https://novac2c.cdn.weixin.qq.com/c2c",
} as const;

/** Read the settings; the first that cannot be understood is the problem. Reads no network and no disk. */
export function readMsgxSettings(given: PlatformSettings, gateway: PlatformSettings): SettingsRead<MsgxSettings> {
  return readSettings(() => read(given, gateway));
}

/** Name of the account, whatever else is wrong. */
export function accountOf(given: PlatformSettings): string {
  return accountNamed(() => given.text("ACCOUNT_ID")?.trim());
}

function read(given: PlatformSettings, gateway: PlatformSettings): MsgxSettings {
  const text = (name: string) => given.text(name)?.trim() ?? "";
  const token = text("TOKEN");
  const account = text("ACCOUNT_ID");
  if (token === "" || account === "") {
    throw wrongSetting(
      `${token === "" ? "MSGX_TOKEN" : "MSGX_ACCOUNT_ID"} is not set: agent gateway login msgx stores both`,
    );
  }
  if (!/^[\x21-\x7e]+$/.test(token))
    throw wrongSetting("MSGX_TOKEN is not a token: it contains spaces or invalid characters");
  const insecure = gateway.flag("ALLOW_INSECURE_API_BASE", false);
  return {
    token: new Secret(token),
    account,
    routeTag: text("ROUTE_TAG") || undefined,
    base: baseAddress("MSGX_BASE_URL", text("BASE_URL") || OFFICIAL.base, insecure),
    cdnBase: baseAddress("MSGX_CDN_BASE_URL", text("CDN_BASE_URL") || OFFICIAL.cdn, insecure),
    dmPolicy: oneOf("MSGX_DM_POLICY", given.text("DM_POLICY"), ["open", "allowlist", "pairing", "disabled"]),
    groupPolicy: oneOf("MSGX_GROUP_POLICY", given.text("GROUP_POLICY"), ["disabled", "allowlist", "open"]),
    allowedUsers: given.list("ALLOWED_USERS"),
    allowedGroups: given.list("GROUP_ALLOWED_USERS"),
    splitLines: given.flag("SPLIT_MULTILINE_MESSAGES", false),
    chunkDelayMs: seconds(given, "SEND_CHUNK_DELAY_SECONDS", 1.5),
    chunkRetries: given.integer("SEND_CHUNK_RETRIES", 4),
    retryDelayMs: seconds(given, "SEND_CHUNK_RETRY_DELAY_SECONDS", 1),
    circuitWindowMs: seconds(given, "RATE_LIMIT_CIRCUIT_WINDOW", 30),
    circuitOpenMs: seconds(given, "RATE_LIMIT_CIRCUIT_OPEN", 30),
    ...readChannels(given),
  };
}

function seconds(given: PlatformSettings, name: string, otherwise: number): Ms {
  const said = given.text(name)?.trim() || String(otherwise);
  const read = Number(said);
  if (Number.isFinite(read) && read >= 0 && read <= 3600) return Math.round(read * 1000);
  throw wrongSetting(`MSGX_${name} has to be a number of seconds from 0 to 3600`);
}

/** Whether an address is the platform's: its hosts, and the origins that are configured. */
export function isPlatforms(address: string, bases: readonly string[]): boolean {
  if (!URL.canParse(address)) return false;
  const { origin, protocol, hostname } = new URL(address);
  if (bases.some((base) => new URL(base).origin === origin)) return true;
  return protocol === "https:" && (hostname === "weixin.qq.com" || hostname.endsWith(".weixin.qq.com"));
}
