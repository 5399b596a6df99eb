import type { Net } from "../../../lib/base/net/net.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { ClientTokens } from "../common/client-token.js";
import { type HttpCall, httpCall, parseJsonText, type Refusal, retryAfter } from "../common/http.js";
import { isServiceAllowed, type MsgwSettings } from "./settings.js";
import { ErrorShape } from "./wire.js";

/** What came of a call. */
export type Answer = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly seen: Refusal };

export interface Asked extends Pick<HttpCall, "method" | "json" | "totalMs" | "signal"> {
  /** Of the conversation. */
  readonly serviceUrl: string;
  readonly path: string;
}

/** The connector of the platform. One call is one request; only a token that has run out is renewed, once, before anything was done. */
export interface Api {
  call(asked: Asked): Promise<Answer>;
}

export interface ApiDeps {
  readonly settings: MsgwSettings;
  /** Undefined: without a client; calls carry no token. */
  readonly tokens: ClientTokens | undefined;
  readonly net: Net;
  readonly clock: Clock;
}

/** The platform documents that these are to be tried again: they are certain refusals. */
const AGAIN: ReadonlySet<number> = new Set([412, 502, 504]);

export function createApi({ settings, tokens, net, clock }: ApiDeps): Api {
  const call = async (asked: Asked, fresh: boolean): Promise<Answer> => {
    const { serviceUrl, path, signal, ...rest } = asked;
    // Before the token is asked for: it goes nowhere else.
    if (!isServiceAllowed(serviceUrl, settings))
      return { ok: false, seen: refused("the service of this conversation is not allowed") };
    const found = await tokens?.get(signal, fresh);
    if (found?.found === "none") return { ok: false, seen: found.seen };
    const headers = found === undefined ? {} : { authorization: `Bearer ${found.token.reveal()}` };
    const seen = await httpCall(net, { ...rest, url: `${serviceUrl.replace(/\/+$/, "")}${path}`, headers, signal });
    if (!seen.got) return { ok: false, seen: seen.seen };
    if (seen.status === 401 && found !== undefined && !fresh) return call(asked, true);
    if (seen.status >= 200 && seen.status < 300) return { ok: true, result: parseJsonText(seen.text) };
    return { ok: false, seen: refusalOf(seen, clock.now()) };
  };
  return { call: (asked) => call(asked, false) };
}

const refused = (error: string): Refusal => ({ saw: "answer", status: 403, ownFormat: true, error });

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

function refusalOf({ status, headers, text }: Got, now: number): Refusal {
  const said = ErrorShape.safeParse(parseJsonText(text)).data?.error;
  const wait = retryAfter(headers, now);
  const error = said === undefined ? `the platform answered ${status}` : `${said.code ?? status}: ${said.message}`;
  return {
    saw: "answer",
    status,
    error,
    ownFormat: said !== undefined || (AGAIN.has(status) && status < 500),
    ...(AGAIN.has(status) ? { tryAgain: true } : {}),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(status === 401 ? { credential: true } : {}),
  };
}
