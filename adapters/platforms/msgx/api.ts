import type { Ids } from "../../../lib/base/ids.js";
import { type Net, NetError } from "../../../lib/base/net/net.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";
import type { Observation } from "../../../lib/contracts/gateway/outbox.js";
import { retryAfter } from "../common/http.js";
import type { MsgxSettings } from "./settings.js";
import { AnswerShape } from "./wire.js";

export type Refusal = Exclude<Observation, { readonly saw: "accepted" }>;

/** What came of a call. `ret`: the platform's own number of the error; 0: none. `timeout`: no answer in time. */
export type Answer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly seen: Refusal; readonly ret: number; readonly timeout: boolean };

export interface CallHow {
  readonly signal: AbortSignal;
  /** Most time for the whole exchange; default 15 s. */
  readonly totalMs?: Ms;
}

/** The platform's calls. One call is one request, never repeated. The token is in no error. */
export interface Api {
  call(path: string, body: Readonly<Record<string, unknown>>, how: CallHow): Promise<Answer>;
}

export interface ApiParts {
  readonly net: Net;
  readonly ids: Ids;
  readonly clock: Pick<Clock, "now">;
  readonly version: string;
}

/** The login has ended. */
export const LOGGED_OUT = -14;
const CHANNEL = "2.4.9";
/** (major << 16 | minor << 8 | patch) of it. */
const CLIENT_VERSION = "132105";
const CONNECT_MS: Ms = 10_000;
const CALL_MS: Ms = 15_000;
const ANSWER_BYTES = 16 << 20;
const UNSENT: ReadonlySet<string> = new Set(["refused", "dns", "tls", "blocked"]);

/** What every request carries; a login has no token yet. */
export function headersOf(
  ids: Ids,
  token: string | undefined,
  routeTag: string | undefined,
): Readonly<Record<string, string>> {
  return {
    "content-type": "application/json",
    authorizationtype: "ilink_bot_token",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    "x-wechat-uin": Buffer.from(String(Number.parseInt(ids.hex(4), 16))).toString("base64"),
    "ilink-app-id": "bot",
    "ilink-app-clientversion": CLIENT_VERSION,
    ...(routeTag === undefined ? {} : { skroutetag: routeTag }),
  };
}

/** What every body carries. */
export const baseInfo = (version: string) => ({
  base_info: { channel_version: CHANNEL, bot_agent: `agent/${version}` },
});

export function createApi(
  { token, base, routeTag }: Pick<MsgxSettings, "token" | "base" | "routeTag">,
  { net, ids, clock, version }: ApiParts,
): Api {
  const clean = (error: unknown) =>
    (error instanceof Error ? error.message : String(error)).replaceAll(token.reveal(), "[secret]");
  return {
    call: async (path, params, { signal, totalMs = CALL_MS }) => {
      const body = JSON.stringify({ ...params, ...baseInfo(version) });
      const headers = {
        ...headersOf(ids, token.reveal(), routeTag),
        "content-length": String(Buffer.byteLength(body)),
      };
      try {
        const response = await net.fetch({
          method: "POST",
          purpose: "model",
          redirects: false,
          connectMs: CONNECT_MS,
          maxBytes: ANSWER_BYTES,
          url: `${base}/ilink/bot/${path}`,
          headers,
          body,
          totalMs,
          signal,
        });
        return answerOf(response.status, await response.text(ANSWER_BYTES), retryAfter(response.headers, clock.now()));
      } catch (error) {
        const failure = error instanceof NetError ? error.failure : undefined;
        const unsent = failure !== undefined && UNSENT.has(failure);
        return {
          ok: false,
          ret: 0,
          timeout: failure === "timeout",
          seen: { saw: unsent ? "unsent" : "cut", error: clean(error) },
        };
      }
    },
  };
}

/** @throws what JSON throws */
export const parseAnswer = (text: string): unknown => JSON.parse(quoteLongNumbers(text));

function answerOf(status: number, text: string, wait: Ms | undefined): Answer {
  const read = parsed(text);
  const answer = AnswerShape.safeParse(read).data;
  const ret = answer?.errcode || answer?.ret || 0;
  if (answer !== undefined && ret === 0 && status < 400) return { ok: true, result: read };
  const ownFormat = answer !== undefined && ret !== 0;
  const error = answer?.errmsg || (ownFormat ? `the platform answered ${ret}` : `the platform answered ${status}`);
  const credential = status === 401 || ret === LOGGED_OUT ? { credential: true } : {};
  return {
    ok: false,
    ret,
    timeout: false,
    seen: {
      saw: "answer",
      status: ret === 0 ? status : Math.max(status, 400),
      ownFormat,
      error,
      ...credential,
      ...(wait === undefined ? {} : { retryAfterMs: wait }),
    },
  };
}

function parsed(text: string): unknown {
  try {
    return parseAnswer(text);
  } catch {
    return undefined; // no answer of the platform
  }
}

const DIGITS = 15;

/**
 * JSON in which long whole numbers are texts: ids of the platform are numbers of 64 bits, which numbers of this language are not. Only values
 * change, never what stands inside a text.
 */
export function quoteLongNumbers(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) => {
    const whole = /^-?\d+$/.test(token);
    return whole && token.replace("-", "").length > DIGITS ? `"${token}"` : token;
  });
}
