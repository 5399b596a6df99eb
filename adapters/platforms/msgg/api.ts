import type { Net } from "../../../lib/base/net/net.js";
import type { Secret } from "../../../lib/base/secret.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import { type HttpCall, httpCall, parseJsonText, type Refusal, retryAfter } from "../common/http.js";
import type { BotTokens } from "./credentials.js";
import { ErrorShape } from "./wire.js";

/** What came of a call. */
export type Answer = { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly seen: Refusal };

export interface Asked extends Pick<HttpCall, "method" | "json" | "body" | "totalMs" | "signal"> {
  /** Behind the base address, with its query. */
  readonly path: string;
  /** Of a user, in place of the bot's. */
  readonly token?: Secret;
}

/** The chat REST interface. One call is one request; only a token that has run out is renewed, once, before anything was done. */
export interface Api {
  call(asked: Asked): Promise<Answer>;
  /** Headers of a request to the interface, for downloads. */
  headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
}

export function createApi(
  base: string,
  tokens: BotTokens,
  { net, clock }: { readonly net: Net; readonly clock: Clock },
): Api {
  const bot = async (signal: AbortSignal, fresh: boolean): Promise<Readonly<Record<string, string>> | Refusal> => {
    const found = await tokens.get(signal, fresh);
    if (found.found === "none") return found.seen;
    return found.found === "open" ? {} : bearer(found.token);
  };
  const call = async (asked: Asked, fresh: boolean): Promise<Answer> => {
    const { path, token, signal, ...rest } = asked;
    const headers = token === undefined ? await bot(signal, fresh) : bearer(token);
    if ("saw" in headers) return { ok: false, seen: headers as Refusal }; // no header has this name
    const seen = await httpCall(net, { ...rest, url: `${base}${path}`, headers, signal });
    if (!seen.got) return { ok: false, seen: seen.seen };
    if (seen.status === 401 && token === undefined && !fresh && "authorization" in headers) return call(asked, true);
    return answerOf(seen, clock.now(), token === undefined);
  };
  return {
    call: (asked) => call(asked, false),
    headers: async (signal) => {
      const found = await bot(signal, false);
      if ("saw" in found) throw new Error((found as Refusal).error); // no header has this name
      return found;
    },
  };
}

const bearer = (token: Secret) => ({ authorization: `Bearer ${token.reveal()}` });

interface Got {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

function answerOf({ status, headers, text }: Got, now: number, bots: boolean): Answer {
  const body = parseJsonText(text);
  if (status >= 200 && status < 300) {
    if (typeof body === "object" && body !== null) return { ok: true, result: body };
    return {
      ok: false,
      seen: { saw: "answer", status: 502, ownFormat: false, error: "the platform's answer cannot be read" },
    };
  }
  const said = ErrorShape.safeParse(body).data?.error;
  const wait = retryAfter(headers, now);
  const seen: Refusal = {
    saw: "answer",
    status,
    ownFormat: said !== undefined,
    error: said === undefined ? `the platform answered ${status}` : `${said.status ?? status}: ${said.message}`,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(status === 401 && bots ? { credential: true } : {}),
  };
  return { ok: false, seen };
}
