import { createHash } from "node:crypto";
import { AppError } from "../../../lib/base/errors.js";
import { Secret } from "../../../lib/base/secret.js";
import type { PlatformSettings } from "../../../lib/gateway/settings.js";

export interface MsglSettings {
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

/** `problem` names the setting and what to do. */
export type MsglRead = { readonly settings: MsglSettings } | { readonly problem: string };

/** Read the settings; the first that cannot be meant is the problem. @param insecure http addresses of other hosts are accepted */
export function readMsglSettings(given: PlatformSettings, insecure: () => boolean): MsglRead {
  try {
    return { settings: read(given, insecure) };
  } catch (error) {
    if (error instanceof AppError && error.code === "E_CONFIG") return { problem: error.message };
    throw error;
  }
}

/** Name of the account, whatever else is wrong. The secret of a channel stays when its token is renewed. */
export function accountOf(given: PlatformSettings): string {
  try {
    const secret = given.text("CHANNEL_SECRET")?.trim() ?? "";
    return secret === "" ? "unknown" : `ch-${createHash("sha256").update(`msgl:${secret}`).digest("hex").slice(0, 12)}`;
  } catch {
    return "unknown"; // reading the settings says what is wrong
  }
}

const wrong = (message: string) => new AppError("E_CONFIG", message, { hint: "change it in .env or config.yaml" });

function read(given: PlatformSettings, insecure: () => boolean): MsglSettings {
  const text = (name: string) => given.text(name)?.trim() ?? "";
  for (const name of ["CHANNEL_ACCESS_TOKEN", "CHANNEL_SECRET"]) {
    if (text(name) === "") throw wrong(`MSGL_${name} is not set: put it into the home's .env`);
    if (!/^[\x21-\x7e]+$/.test(text(name))) throw wrong(`MSGL_${name} holds a character that no token has`);
  }
  const port = given.integer("PORT", 8646);
  if (port > 65_535) throw wrong("MSGL_PORT has to be a port, from 0 to 65535");
  const webhookPath = text("WEBHOOK_PATH") || "/msgl/webhook";
  if (!/^\/[\w./-]*\w$/.test(webhookPath)) throw wrong("MSGL_WEBHOOK_PATH has to be a path like /msgl/webhook");
  const publicUrl = text("PUBLIC_URL");
  return {
    ...{ token: new Secret(text("CHANNEL_ACCESS_TOKEN")), secret: new Secret(text("CHANNEL_SECRET")), account: accountOf(given) },
    ...{ host: text("HOST") || "0.0.0.0", port, webhookPath },
    publicUrl: publicUrl === "" ? undefined : addressOf("MSGL_PUBLIC_URL", publicUrl, () => false),
    ...{ users: given.list("ALLOWED_USERS"), groups: given.list("ALLOWED_GROUPS"), rooms: given.list("ALLOWED_ROOMS") },
    allowAll: given.flag("ALLOW_ALL_USERS", false),
    apiBase: addressOf("MSGL_API_BASE", text("API_BASE") || "https://api.line.me", insecure),
    dataBase: addressOf("MSGL_DATA_API_BASE", text("DATA_API_BASE") || "https://api-data.line.me", insecure),
  };
}

function addressOf(name: string, given: string, insecure: () => boolean): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) throw wrong(`${name} is no http address: ${given}`);
  const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === "http:" && !loopback && !insecure()) throw wrong(`${name} is not encrypted: use https`);
  return given.replace(/\/+$/, "");
}
