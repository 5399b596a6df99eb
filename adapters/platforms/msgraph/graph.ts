import type { Clock } from "../../../lib/base/clock.js";
import type { Net } from "../../../lib/base/net.js";
import type { Ms } from "../../../lib/base/units.js";
import { clientTokens, type TokenFound } from "../common/client-token.js";
import { type HttpCall, type HttpSeen, httpCall, type Refusal, retryAfter } from "../common/http.js";
import type { GraphSettings } from "./settings.js";

export type GraphAnswer =
  | { readonly ok: true; readonly status: number; readonly text: string }
  | { readonly ok: false; readonly seen: Refusal };

export interface GraphAsked extends Pick<HttpCall, "method" | "json"> {
  /** Behind `/v1.0/`, with its query. */
  readonly path: string;
}

/** The graph: three tries on 429 and 5xx, and one with a new token (gateway part, 16.6.4). */
export interface Graph {
  call(asked: GraphAsked, signal: AbortSignal): Promise<GraphAnswer>;
  /** Whether there is a token. */
  token(signal: AbortSignal): Promise<TokenFound>;
}

export interface TryDeps {
  readonly net: Net;
  readonly clock: Clock;
}

const TRIES = 3;
const FIRST_MS: Ms = 500;
const LONGEST_MS: Ms = 8000;
const REFUSED = "the platform refuses MSGRAPH_CLIENT_ID and MSGRAPH_CLIENT_SECRET: put a secret that is valid now into the home's .env";

/** Make a request up to three times, while the platform says that it cannot answer now. */
export async function tried(deps: TryDeps, call: HttpCall): Promise<HttpSeen> {
  for (let number = 1; ; number++) {
    const seen = await httpCall(deps.net, call);
    if (!seen.got || number === TRIES || (seen.status !== 429 && seen.status < 500)) return seen;
    const wait = retryAfter(seen.headers, deps.clock.now()) ?? Math.min(LONGEST_MS, FIRST_MS * 2 ** (number - 1));
    await deps.clock.sleep(wait, call.signal);
  }
}

export function createGraph({ base, token: given, client }: GraphSettings, deps: TryDeps): Graph {
  const own = client && clientTokens({ ...client, scope: `${base}/.default`, refused: REFUSED }, deps);
  const token = async (signal: AbortSignal, fresh = false): Promise<TokenFound> => {
    if (given !== undefined) return { found: "token", token: given };
    if (own !== undefined) return own.get(signal, fresh);
    const error = "there is no token for the graph: set MSGRAPH_TENANT_ID, MSGRAPH_CLIENT_ID and MSGRAPH_CLIENT_SECRET";
    return { found: "none", seen: { saw: "answer", status: 401, ownFormat: true, error } };
  };
  const call = async ({ path, ...rest }: GraphAsked, signal: AbortSignal, fresh = false): Promise<GraphAnswer> => {
    const found = await token(signal, fresh);
    if (found.found === "none") return { ok: false, seen: found.seen };
    const headers = { authorization: `Bearer ${found.token.reveal()}` };
    const seen = await tried(deps, { ...rest, url: `${base}/v1.0/${path}`, headers, signal });
    if (!seen.got) return { ok: false, seen: seen.seen };
    if (seen.status === 401 && !fresh && own !== undefined) return call({ path, ...rest }, signal, true);
    if (seen.status < 300) return { ok: true, status: seen.status, text: seen.text };
    const error = `the graph answered ${seen.status}`;
    return { ok: false, seen: { saw: "answer", status: seen.status, ownFormat: seen.status < 500, error } };
  };
  return { token, call: (asked, signal) => call(asked, signal) };
}
