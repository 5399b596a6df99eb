import { Secret } from "../../../lib/base/secret.js";
import type { PlatformPorts } from "../../../lib/gateway/adapter/define-platform.js";
import { baseAddress, isLoopback } from "../common/base-address.js";
import {
  accountNamed,
  type ChannelSettings,
  readChannels,
  readSettings,
  type SettingsRead,
  wrongSetting,
} from "../common/settings.js";

export interface MsgwSettings extends ChannelSettings {
  readonly account: string;
  /** Absent with the development switch alone. */
  readonly client: { readonly id: string; readonly secret: Secret; readonly tenant: string } | undefined;
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Activities without a token are taken from this machine. */
  readonly dev: boolean;
  readonly loginBase: string;
  readonly openIdBase: string;
  /** Where conversations are that were never seen. */
  readonly serviceUrl: string;
  /** `host[:port]` of services that may be given a token. */
  readonly hosts: readonly string[];
  readonly insecure: boolean;
  readonly quotes: boolean;
}

type Given = Pick<PlatformPorts, "settings" | "others">;

const SERVICE_HOSTS = ["smba.trafficmanager.net", "smba.infra.gov.teams.microsoft.us"];
const DEV = "development";

/** Read the settings; the first that cannot be understood is the problem. Reads no network and no disk. */
export function readMsgwSettings(given: Given): SettingsRead<MsgwSettings> {
  return readSettings(() => read(given));
}

/** Name of the account, whatever else is wrong. */
export function accountOf({ settings }: Given): string {
  return accountNamed(() => settings.text("CLIENT_ID")?.trim(), DEV);
}

function read(given: Given): MsgwSettings {
  const { settings, others } = given;
  const text = (name: string) => settings.text(name)?.trim() ?? "";
  const dev = settings.flag("DEV_UNAUTHENTICATED", false);
  const host = text("HOST") || "0.0.0.0";
  if (dev && !isLoopback(`http://${host.includes(":") ? `[${host}]` : host}`)) {
    throw wrongSetting(
      `MSGW_DEV_UNAUTHENTICATED takes messages without a token, so MSGW_HOST must be 127.0.0.1, not ${host}`,
    );
  }
  const insecure = others("gateway").flag("ALLOW_INSECURE_API_BASE", false);
  const base = (name: string, otherwise: string) => baseAddress(`MSGW_${name}`, text(name) || otherwise, insecure);
  const mode = text("REPLY_TO_MODE") || "first";
  if (!["off", "first", "all"].includes(mode)) throw wrongSetting("MSGW_REPLY_TO_MODE must be off, first or all");
  const port = settings.integer("PORT", 3978);
  if (port > 65_535) throw wrongSetting("MSGW_PORT must be a port, 0 to 65535");
  return {
    account: accountOf(given),
    client: clientOf(text, dev),
    host,
    port,
    dev,
    insecure,
    quotes: mode !== "off",
    loginBase: base("LOGIN_BASE", "https://login.microsoftonline.com"),
    openIdBase: base("OPENID_BASE", "https://login.botframework.com"),
    serviceUrl: base("SERVICE_URL", "https://smba.trafficmanager.net/teams/"),
    hosts: settings.list("ALLOWED_SERVICE_HOSTS").map((one) => one.toLowerCase()),
    ...readChannels(settings),
  };
}

function clientOf(text: (name: string) => string, dev: boolean): MsgwSettings["client"] {
  const id = text("CLIENT_ID");
  const secret = text("CLIENT_SECRET");
  const tenant = text("TENANT_ID");
  if (dev && secret === "") return undefined;
  for (const [name, value] of Object.entries({ CLIENT_ID: id, CLIENT_SECRET: secret, TENANT_ID: tenant })) {
    if (value === "") throw wrongSetting(`MSGW_${name} is not set: put it into the home's .env`);
  }
  if (!/^[\w.-]+$/.test(tenant)) throw wrongSetting("MSGW_TENANT_ID must be the id or the domain of a directory");
  return { id, secret: new Secret(secret), tenant };
}

/** Whether a service may be talked to, and given a token: an address that is not in the lists gets neither. */
export function isServiceAllowed(url: string, { hosts, insecure }: Pick<MsgwSettings, "hosts" | "insecure">): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, host, username, password } = new URL(url);
  if (username !== "" || password !== "") return false;
  if (protocol !== "https:" && !(protocol === "http:" && (insecure || isLoopback(url)))) return false;
  if (protocol === "https:" && SERVICE_HOSTS.includes(host)) return true;
  return hosts.includes(host) || hosts.includes(hostname);
}
