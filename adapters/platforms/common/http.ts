import { type Net, NetError, type NetRequest } from "../../../lib/base/net/net.js";
import type { Ms } from "../../../lib/base/units.js";
import type { Observation } from "../../../lib/contracts/gateway/outbox.js";

export type Refusal = Exclude<Observation, { readonly saw: "accepted" }>;

/** One request. `json` is written as the body. */
export interface HttpCall {
  readonly method: NetRequest["method"];
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  readonly body?: { readonly type: string; readonly bytes: Uint8Array };
  readonly totalMs?: Ms;
  readonly signal: AbortSignal;
}

/** What came back: an answer of any status, or none. */
export type HttpSeen =
  | {
      readonly got: true;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly text: string;
    }
  | { readonly got: false; readonly seen: Refusal };

const CONNECT_MS: Ms = 10_000;
const CALL_MS: Ms = 20_000;
const ANSWER_BYTES = 4 << 20;
/** Nothing of the request was written. A connection that was not taken in time counts as written: the difference cannot be seen here. */
const UNSENT: ReadonlySet<string> = new Set(["refused", "dns", "tls", "blocked"]);

/** Make one request to an address that the user configured; it is never repeated and does not follow redirects. */
export async function httpCall(net: Net, call: HttpCall): Promise<HttpSeen> {
  const { method, url, headers = {}, totalMs = CALL_MS, signal } = call;
  const body = bodyOf(call);
  const sized =
    body === undefined ? {} : { "content-type": body.type, "content-length": String(Buffer.byteLength(body.bytes)) };
  try {
    const response = await net.fetch({
      method,
      url,
      purpose: "model",
      redirects: false,
      headers: { ...headers, ...sized },
      ...(body === undefined ? {} : { body: body.bytes }),
      connectMs: CONNECT_MS,
      totalMs,
      maxBytes: ANSWER_BYTES,
      signal,
    });
    return { got: true, status: response.status, headers: response.headers, text: await response.text(ANSWER_BYTES) };
  } catch (error) {
    const unsent = error instanceof NetError && UNSENT.has(error.failure);
    return {
      got: false,
      seen: { saw: unsent ? "unsent" : "cut", error: error instanceof Error ? error.message : String(error) },
    };
  }
}

function bodyOf({
  json,
  form,
  body,
}: HttpCall): { readonly type: string; readonly bytes: string | Uint8Array } | undefined {
  if (json !== undefined) return { type: "application/json; charset=utf-8", bytes: JSON.stringify(json) };
  if (form !== undefined)
    return { type: "application/x-www-form-urlencoded", bytes: new URLSearchParams(form).toString() };
  return body;
}

/** A JSON text; undefined when it is none. */
export function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // the platform writes JSON, so this is not the platform's own answer
  }
}

/** The wait that `Retry-After` asks for, in seconds or as a date; undefined when it is missing. */
export function retryAfter(headers: Readonly<Record<string, string>>, now: number): Ms | undefined {
  const given = headers["retry-after"]?.trim() ?? "";
  if (/^\d{1,9}(?:\.\d+)?$/.test(given)) return Number(given) * 1000;
  const at = given === "" ? Number.NaN : Date.parse(given);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
