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
export function readListenSettings(msgraph: PlatformSettings): ListenSettings {
  const wrong = (message: string) => new AppError("E_CONFIG", message, { hint: "change it in .env or config.yaml" });
  const enabled = msgraph.flag("WEBHOOK_ENABLED", false);
  const host = msgraph.text("WEBHOOK_HOST")?.trim() || "127.0.0.1";
  const port = msgraph.integer("WEBHOOK_PORT", PORT);
  const cidrs = msgraph.list("WEBHOOK_ALLOWED_CIDRS");
  const clientState = msgraph.text("WEBHOOK_CLIENT_STATE") ?? "";
  const publicUrl = publicUrlOf(msgraph.text("WEBHOOK_PUBLIC_URL")?.trim() ?? "");
  const read = { enabled, host, port, clientState, publicUrl, cidrs };
  if (!enabled) return read;
  const odd = cidrs.find((one) => !isNetwork(one));
  if (odd !== undefined) throw wrong(`MSGRAPH_WEBHOOK_ALLOWED_CIDRS holds no network: ${odd}`);
  if (!LOOPBACK.test(host) && cidrs.length === 0) {
    throw wrong(
      `MSGRAPH_WEBHOOK_HOST is ${host}, which others reach: set MSGRAPH_WEBHOOK_ALLOWED_CIDRS to the networks that may call`,
    );
  }
  if (clientState === "")
    throw wrong("MSGRAPH_WEBHOOK_CLIENT_STATE is not set: it tells notifications of the platform from others");
  return read;
}

/** @throws E_CONFIG */
function publicUrlOf(given: string): string {
  const isRight = given === "" || (URL.canParse(given) && /^https?:$/.test(new URL(given).protocol));
  if (isRight) return given.replace(/\/+$/, "");
  throw new AppError("E_CONFIG", `MSGRAPH_WEBHOOK_PUBLIC_URL is no http address: ${given}`, {
    hint: "as https://bot.example.org",
  });
}
