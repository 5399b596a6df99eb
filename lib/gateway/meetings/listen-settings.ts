import { AppError } from "../../base/errors.js";
import { isNetwork } from "../../safety/net/networks.js";
import type { PlatformSettings } from "../settings/platform-settings.js";

export interface ListenSettings {
  readonly enabled: boolean;
  readonly host: string;
  readonly port: number;
  readonly clientState: string;
  /** Address under which the graph reaches the listener, without the path; "" where none is set. */
  readonly publicUrl: string;
  readonly cidrs: readonly string[];
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1)$/;
const PORT = 8647;

/** Where notifications come in, by the variables `MSGRAPH_WEBHOOK_X`. @throws E_CONFIG naming the setting */
export function readListenSettings(settings: PlatformSettings): ListenSettings {
  const wrong = (message: string) => new AppError("E_CONFIG", message, { hint: "change it in .env or config.yaml" });
  const enabled = settings.flag("WEBHOOK_ENABLED", false);
  const host = settings.text("WEBHOOK_HOST")?.trim() || "127.0.0.1";
  const port = settings.integer("WEBHOOK_PORT", PORT);
  const cidrs = settings.list("WEBHOOK_ALLOWED_CIDRS");
  const clientState = settings.text("WEBHOOK_CLIENT_STATE") ?? "";
  const publicUrl = publicUrlOf(settings.text("WEBHOOK_PUBLIC_URL")?.trim() ?? "");
  const read = { enabled, host, port, clientState, publicUrl, cidrs };
  if (!enabled) return read;
  const odd = cidrs.find((one) => !isNetwork(one));
  if (odd !== undefined) throw wrong(`MSGRAPH_WEBHOOK_ALLOWED_CIDRS: not a network: ${odd}`);
  if (!LOOPBACK.test(host) && cidrs.length === 0) {
    throw wrong(
      `MSGRAPH_WEBHOOK_HOST is ${host}, which other machines can reach: set MSGRAPH_WEBHOOK_ALLOWED_CIDRS to the allowed networks`,
    );
  }
  if (clientState === "") throw wrong("MSGRAPH_WEBHOOK_CLIENT_STATE is not set; it authenticates notifications");
  return read;
}

/** @throws E_CONFIG */
function publicUrlOf(given: string): string {
  const isRight = given === "" || (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol));
  if (isRight) return given.replace(/\/+$/, "");
  throw new AppError("E_CONFIG", `MSGRAPH_WEBHOOK_PUBLIC_URL is not an http URL: ${given}`, {
    hint: "e.g. https://bot.example.org",
  });
}
