import type { Clock } from "../../../lib/base/time/clock.js";
import type { EpochMs, Ms } from "../../../lib/base/units.js";
import {
  type HookListener,
  type HookReply,
  type HookRequest,
  hookText,
  type OpenHooks,
} from "../../../lib/contracts/gateway/listen.js";
import type { AdapterFault } from "../../../lib/contracts/gateway/platform.js";
import { isFields, jsonFields } from "../../../lib/safety/redact/json-body.js";
import { sameText } from "../../../lib/safety/redact/same-text.js";
import { decrypted, signatureOf } from "./crypt.js";
import { type Taken, toastOf } from "./receive.js";
import type { WebhookSettings } from "./settings.js";

export interface WebhookParts {
  readonly hooks: OpenHooks;
  readonly clock: Pick<Clock, "mono">;
  readonly take: (payload: unknown, signal: AbortSignal) => Promise<Taken>;
}

type Fields = Readonly<Record<string, unknown>>;

const WINDOW_MS: Ms = 60_000;
const IN_WINDOW = 120;
const ADDRESSES = 4096;

/** Listen for what the platform posts; the checks stand in the order of gateway part, 16.4.2. */
export function listenForEvents(
  { hooks, clock, take }: WebhookParts,
  settings: WebhookSettings,
): Promise<HookListener | AdapterFault> {
  const tooMany = createWindow(clock);
  return hooks({
    owner: "msgf",
    host: settings.host,
    port: settings.port,
    portSetting: "MSGF_WEBHOOK_PORT",
    routes: [
      {
        method: "POST",
        path: settings.path,
        run: async (request) => {
          if (tooMany(request.address)) return hookText(429, "too many requests", { "retry-after": "60" });
          if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(request.header("content-type") ?? ""))
            return hookText(415, "JSON is taken here");
          const body = await request.read();
          const opened = openBody(request, body, settings);
          return "status" in opened ? opened : answerOf(opened.fields, (payload) => take(payload, request.signal));
        },
      },
    ],
  });
}

/** Whether an address asked too often in the last minute. */
function createWindow(clock: Pick<Clock, "mono">): (address: string) => boolean {
  const seen = new Map<string, EpochMs[]>();
  return (address) => {
    const now = clock.mono();
    const recent = (seen.get(address) ?? []).filter((at) => now - at < WINDOW_MS);
    if (recent.length >= IN_WINDOW) {
      seen.set(address, recent);
      return true;
    }
    if (!seen.has(address) && seen.size >= ADDRESSES) seen.delete(seen.keys().next().value ?? "");
    seen.set(address, [...recent, now]);
    return false;
  };
}

/** The event in a body that its sender has proved to be the platform's, or the answer to a body that is not. */
function openBody(
  request: HookRequest,
  body: Buffer,
  { key, token }: WebhookSettings,
): { readonly fields: Fields } | HookReply {
  const outer = jsonFields(body);
  if (outer === undefined) return hookText(400, "the body is not a JSON object");
  const opened =
    key === undefined ? { fields: outer } : openEncrypted({ request, body, outer }, key.reveal(), token !== undefined);
  if ("status" in opened || token === undefined) return opened;
  const header = opened.fields["header"];
  const given = isFields(header) ? header["token"] : opened.fields["token"];
  return sameText(typeof given === "string" ? given : "", token.reveal())
    ? opened
    : hookText(401, "the token is not that of this app");
}

interface Sealed {
  readonly request: HookRequest;
  readonly body: Buffer;
  readonly outer: Fields;
}

function openEncrypted(
  { request, body, outer }: Sealed,
  key: string,
  tokenChecked: boolean,
): { readonly fields: Fields } | HookReply {
  const [signature, timestamp, nonce] = ["signature", "request-timestamp", "request-nonce"].map((name) =>
    request.header(`x-lark-${name}`),
  );
  const signed = signature !== undefined && timestamp !== undefined && nonce !== undefined;
  if (signed && !sameText(signature, signatureOf({ timestamp, nonce, key, body })))
    return hookText(401, "the signature is not right");
  const sealed = outer["encrypt"];
  const text = typeof sealed === "string" ? decrypted(sealed, key) : undefined;
  const fields = text === undefined ? undefined : jsonFields(text);
  // Unsigned, only the question whether we are here may come, and a token, where there is one, is looked at afterwards.
  if (!signed && (fields?.["type"] !== "url_verification" || (tokenChecked && typeof fields["token"] !== "string"))) {
    return hookText(401, "the body is not signed");
  }
  return fields === undefined ? hookText(400, "the body cannot be decrypted") : { fields };
}

async function answerOf(fields: Fields, take: (payload: unknown) => Promise<Taken>): Promise<HookReply> {
  if (fields["type"] === "url_verification") return { status: 200, json: { challenge: fields["challenge"] ?? "" } };
  const taken = await take(fields);
  if (taken === "busy") return hookText(503, "not stored yet", { "retry-after": "30" });
  return { status: 200, json: toastOf(taken) ?? { code: 0, msg: "ok" } };
}
