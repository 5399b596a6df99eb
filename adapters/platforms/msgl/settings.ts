import { createHash } from "node:crypto";
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

export interface MsglSettings extends ChannelSettings {
  readonly token: Secret;
  readonly secret: Secret;
  readonly account: string;
  readonly host: string;
  readonly port: number;
  readonly webhookPath: string;
  /** Where the platform fetches files from us, without a slash at the end; undefined: files are not sent. */
  readonly publicUrl: string | undefined;
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly rooms: readonly string[];
  readonly allowAll: boolean;
  /** Without a slash at the end. */
  readonly apiBase: string;
  readonly dataBase: string;
}

/** Read the settings; the first that cannot be meant is the problem. @param insecure http addresses of other hosts are accepted */
export function readMsglSettings(given: PlatformSettings, insecure: () => boolean): SettingsRead<MsglSettings> {
  return readSettings(() => read(given, insecure));
}

/** Name of the account, whatever else is wrong. The secret of a channel stays when its token is renewed. */
export function accountOf(given: PlatformSettings): string {
  return accountNamed(() => {
    const secret = given.text("CHANNEL_SECRET")?.trim() ?? "";
    return secret === "" ? undefined : `ch-${createHash("sha256").update(`msgl:${secret}`).digest("hex").slice(0, 12)}`;
  });
}

function read(given: PlatformSettings, insecure: () => boolean): MsglSettings {
  const text = (name: string) => given.text(name)?.trim() ?? "";
  for (const name of ["CHANNEL_ACCESS_TOKEN", "CHANNEL_SECRET"]) {
    if (text(name) === "") throw wrongSetting(`MSGL_${name} is not set: put it into the home's .env`);
    if (!/^[\x21-\x7e]+$/.test(text(name))) throw wrongSetting(`MSGL_${name} holds a character that no token has`);
  }
  const port = given.integer("PORT", 8646);
  if (port > 65_535) throw wrongSetting("MSGL_PORT must be a port from 0 to 65535");
  const webhookPath = text("WEBHOOK_PATH") || "/msgl/webhook";
  if (!/^\/[\w./-]*\w$/.test(webhookPath)) throw wrongSetting("MSGL_WEBHOOK_PATH has to be a path like /msgl/webhook");
  const publicUrl = text("PUBLIC_URL");
  return {
    token: new Secret(text("CHANNEL_ACCESS_TOKEN")),
    secret: new Secret(text("CHANNEL_SECRET")),
    account: accountOf(given),
    host: text("HOST") || "0.0.0.0",
    port,
    webhookPath,
    publicUrl: publicUrl === "" ? undefined : baseAddress("MSGL_PUBLIC_URL", publicUrl, false),
    users: given.list("ALLOWED_USERS"),
    groups: given.list("ALLOWED_GROUPS"),
    rooms: given.list("ALLOWED_ROOMS"),
    allowAll: given.flag("ALLOW_ALL_USERS", false),
    apiBase: baseAddress("MSGL_API_BASE", text("API_BASE") || "https://api.line.me", insecure()),
    dataBase: baseAddress("MSGL_DATA_API_BASE", text("DATA_API_BASE") || "https://api-data.line.me", insecure()),
    ...readChannels(given),
  };
}
