import { type Net, NetError, type NetRequest } from "../../../lib/base/net/net.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { EpochMs, Ms } from "../../../lib/base/units.js";
import type { Observation } from "../../../lib/contracts/gateway/outbox.js";
import type { MsgfSettings } from "./settings.js";
import { sharedCall } from "./shared-call.js";
import { AnswerShape, TokenShape } from "./wire.js";

export type Refusal = Exclude<Observation, { readonly saw: "accepted" }>;

/** What came of a call. `code`: the platform's own, where it answered in its format. */
export type Answer =
  | { readonly ok: true; readonly data: unknown; readonly body: unknown }
  | { readonly ok: false; readonly seen: Refusal; readonly code?: number };

export interface Call {
  readonly method: NetRequest["method"];
  /** Behind the base address, with its query. */
  readonly path: string;
  readonly json?: unknown;
  readonly form?: { readonly type: string; readonly bytes: Uint8Array };
  readonly signal: AbortSignal;
  readonly totalMs?: Ms;
}

/** The platform's HTTP interface. One call is one request; only one whose token was refused as too old is made again, with a new token. */
export interface Api {
  call(call: Call): Promise<Answer>;
  /** A call that carries its credentials in its body. */
  open(call: Call): Promise<Answer>;
  /** Bytes of a file. @throws Error that says why it cannot be had */
  download(path: string, maxBytes: number, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

const CONNECT_MS: Ms = 10_000;
const CALL_MS: Ms = 15_000;
const DOWNLOAD_MS: Ms = 120_000;
const ANSWER_BYTES = 4 << 20;
/** The token is renewed this long before its end. */
const EARLY_MS: Ms = 180_000;
const UNSENT: ReadonlySet<string> = new Set(["refused", "dns", "tls", "blocked"]);
/** The token is too old, or was taken back: a new one helps. */
const STALE: ReadonlySet<number> = new Set([99_991_661, 99_991_663, 99_991_664, 99_991_665, 99_991_668, 99_991_671]);
const isStale = ({ code, seen }: Exclude<Answer, { ok: true }>): boolean =>
  (code !== undefined && STALE.has(code)) || (seen.saw === "answer" && seen.status === 401);
/** Documented as "try again later": limits of the app and of a chat. */
const LATER: ReadonlySet<number> = new Set([99_991_400, 230_020, 11_232, 11_233, 1_061_045]);

interface Token {
  readonly text: string;
  readonly until: EpochMs;
}

export function createApi(settings: MsgfSettings, net: Net, clock: Pick<Clock, "now">): Api {
  let token: Token | undefined;
  const raw = createRaw(settings, net);
  const fetchToken = sharedCall(async (): Promise<Token | Exclude<Answer, { ok: true }>> => {
    const json = { app_id: settings.appId, app_secret: settings.appSecret.reveal() };
    // Not ended by the first caller: others wait for the same token.
    const signal = new AbortController().signal;
    const answer = await raw({ method: "POST", path: "/open-apis/auth/v3/tenant_access_token/internal", json, signal });
    if (!answer.ok) return refusedToken(answer);
    const read = TokenShape.safeParse(answer.body).data;
    if (read === undefined)
      return { ok: false, seen: { saw: "unsent", error: "MSGF_DOMAIN does not answer as the platform does" } };
    token = { text: read.tenant_access_token, until: clock.now() + read.expire * 1000 - EARLY_MS };
    return token;
  });
  const authorised = async (): Promise<Token | Exclude<Answer, { ok: true }>> =>
    token !== undefined && clock.now() < token.until ? token : fetchToken();
  const call = async (given: Call, again = true): Promise<Answer> => {
    const own = await authorised();
    if ("ok" in own) return own;
    const answer = await raw(given, own.text);
    if (answer.ok || answer.code === undefined || !isStale(answer)) return answer;
    if (token === own) token = undefined;
    return again ? call(given, false) : { ...answer, seen: { ...answer.seen, credential: true } as Refusal };
  };
  return {
    call: (given) => call(given),
    open: (given) => raw(given),
    download: async (path, maxBytes, signal) => {
      const own = await authorised();
      if ("ok" in own) throw new Error(own.seen.error);
      const headers = { authorization: `Bearer ${own.text}` };
      const how = { headers, connectMs: CONNECT_MS, totalMs: DOWNLOAD_MS, maxBytes, signal };
      const response = await net.fetch({
        method: "GET",
        url: `${settings.apiBase}${path}`,
        purpose: "model",
        redirects: false,
        ...how,
      });
      if (response.status === 200 && !/json/.test(response.headers["content-type"] ?? "")) return response.body;
      const said = answerOf(response.status, await response.text(ANSWER_BYTES), response.headers);
      throw new Error(`the file cannot be fetched: ${said.ok ? "the platform gave none" : said.seen.error}`);
    },
  };
}

/** A message whose token could not be had was never written. The credential is refused by an answer of the platform that is no "try again". */
function refusedToken(answer: Exclude<Answer, { ok: true }>): Exclude<Answer, { ok: true }> {
  const { seen } = answer;
  if (seen.saw !== "answer" || !seen.ownFormat) return { ok: false, seen: { saw: "unsent", error: seen.error } };
  if (seen.tryAgain === true || seen.status === 429 || seen.status >= 500) return answer;
  return { ...answer, seen: { ...seen, credential: true } };
}

function createRaw({ apiBase, appSecret }: MsgfSettings, net: Net) {
  const clean = (error: unknown) =>
    (error instanceof Error ? error.message : String(error)).replaceAll(appSecret.reveal(), "[secret]");
  return async ({ method, path, json, form, signal, totalMs = CALL_MS }: Call, token?: string): Promise<Answer> => {
    const body = form?.bytes ?? (json === undefined ? undefined : JSON.stringify(json));
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined
        ? {}
        : {
            "content-type": form?.type ?? "application/json; charset=utf-8",
            "content-length": String(Buffer.byteLength(body)),
          }),
    };
    const limits = { connectMs: CONNECT_MS, totalMs, maxBytes: ANSWER_BYTES, signal };
    const what = { method, url: `${apiBase}${path}`, headers, purpose: "model", redirects: false } as const;
    try {
      const response = await net.fetch({ ...what, ...limits, ...(body === undefined ? {} : { body }) });
      return answerOf(response.status, await response.text(ANSWER_BYTES), response.headers);
    } catch (error) {
      const unsent = error instanceof NetError && UNSENT.has(error.failure);
      return { ok: false, seen: { saw: unsent ? "unsent" : "cut", error: clean(error) } };
    }
  };
}

/** `code` counts, also where the status is 200. */
function answerOf(status: number, text: string, headers: Readonly<Record<string, string>>): Answer {
  const body = parsed(text);
  const read = AnswerShape.safeParse(body).data;
  const wait = Number(headers["x-ogw-ratelimit-reset"] ?? headers["retry-after"] ?? Number.NaN);
  const later = status === 429 || status === 503 || (read !== undefined && LATER.has(read.code));
  const paused = Number.isFinite(wait) && later ? { retryAfterMs: Math.max(0, wait) * 1000 } : {};
  if (read === undefined) {
    return {
      ok: false,
      seen: { saw: "answer", status, ownFormat: false, error: `the platform answered ${status}`, ...paused },
    };
  }
  if (read.code === 0 && status < 400) return { ok: true, data: read.data, body };
  const error = `the platform answered ${read.code}: ${read.msg}`;
  const seen = {
    saw: "answer",
    status,
    ownFormat: true,
    error,
    ...paused,
    ...(LATER.has(read.code) ? { tryAgain: true } : {}),
  } as const;
  return { ok: false, seen, code: read.code };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not the platform's format
  }
}
