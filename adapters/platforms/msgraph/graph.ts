import * as z from "zod";
import type { Net, NetResponse } from "../../../lib/base/net/net.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";
import { clientTokens, type TokenFound } from "../common/client-token.js";
import { type HttpCall, type HttpSeen, httpCall, parseJsonText, type Refusal, retryAfter } from "../common/http.js";
import { download } from "./download.js";
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
  /** The bytes of something, wherever the graph keeps them; the caller reads or cancels. @throws Error that says why they cannot be had */
  open(path: string, how: GraphOpen): Promise<NetResponse>;
  /** Whether there is a token. */
  token(signal: AbortSignal): Promise<TokenFound>;
}

export interface GraphOpen {
  readonly maxBytes: number;
  readonly totalMs: Ms;
  readonly signal: AbortSignal;
}

export interface TryDeps {
  readonly net: Net;
  readonly clock: Clock;
}

const TRIES = 3;
const FIRST_MS: Ms = 500;
const LONGEST_MS: Ms = 8000;
const REFUSED =
  "the platform refuses MSGRAPH_CLIENT_ID and MSGRAPH_CLIENT_SECRET: put a secret that is valid now into the home's .env";

/** Make a request up to three times, while the platform says that it cannot answer now. */
export async function tried(deps: TryDeps, call: HttpCall): Promise<HttpSeen> {
  for (let number = 1; ; number++) {
    const seen = await httpCall(deps.net, call);
    if (!seen.got || number === TRIES || !isBusy(seen.status)) return seen;
    await deps.clock.sleep(waitOf(seen.headers, number, deps.clock.now()), call.signal);
  }
}

export function createGraph({ base, token: given, client }: GraphSettings, deps: TryDeps): Graph {
  const own = client && clientTokens({ ...client, scope: `${base}/.default`, refused: REFUSED }, deps);
  const token = async (signal: AbortSignal, fresh = false): Promise<TokenFound> => {
    if (given !== undefined) return { found: "token", token: given };
    if (own !== undefined) return own.get(signal, fresh);
    const error = "no token for the graph: set MSGRAPH_TENANT_ID, MSGRAPH_CLIENT_ID and MSGRAPH_CLIENT_SECRET";
    return { found: "none", seen: { saw: "answer", status: 401, ownFormat: true, error } };
  };
  const call = async ({ path, ...rest }: GraphAsked, signal: AbortSignal, fresh = false): Promise<GraphAnswer> => {
    const found = await token(signal, fresh);
    if (found.found === "none") return { ok: false, seen: found.seen };
    const headers = { authorization: `Bearer ${found.token.reveal()}` };
    const seen = await tried(deps, { ...rest, url: urlOf(base, path), headers, signal });
    if (!seen.got) return { ok: false, seen: seen.seen };
    if (seen.status === 401 && !fresh && own !== undefined) return call({ path, ...rest }, signal, true);
    if (seen.status < 300) return { ok: true, status: seen.status, text: seen.text };
    const error = refusalOf(seen.status, seen.text);
    return { ok: false, seen: { saw: "answer", status: seen.status, ownFormat: seen.status < 500, error } };
  };
  const open = async (path: string, how: GraphOpen, fresh = false): Promise<NetResponse> => {
    const found = await token(how.signal, fresh);
    if (found.found === "none") throw new Error(found.seen.error);
    const url = urlOf(base, path);
    for (let number = 1; ; number++) {
      const response = await download(
        { net: deps.net, base },
        { url, authorization: `Bearer ${found.token.reveal()}`, ...how },
      );
      if (response.status === 200) return response;
      response.cancel();
      if (response.status === 401 && !fresh && own !== undefined) return open(path, how, true);
      if (number === TRIES || !isBusy(response.status)) throw new Error(`the graph answered ${response.status}`);
      await deps.clock.sleep(waitOf(response.headers, number, deps.clock.now()), how.signal);
    }
  };
  return { token, call: (asked, signal) => call(asked, signal), open: (path, how) => open(path, how) };
}

/** A page names the next one by its whole address; nothing else leads away from the base. */
const urlOf = (base: string, path: string): string =>
  path.startsWith(`${base}/v1.0/`) ? path : `${base}/v1.0/${path}`;

const ErrorShape = z.object({ error: z.object({ code: z.string().catch(""), message: z.string().catch("") }) });
const SAID_CHARS = 300;

function refusalOf(status: number, text: string): string {
  const said = ErrorShape.safeParse(parseJsonText(text)).data?.error;
  return said === undefined
    ? `the graph answered ${status}`
    : `the graph answered ${status}: ${said.code}: ${said.message}`.slice(0, SAID_CHARS);
}

const isBusy = (status: number): boolean => status === 429 || status >= 500;

const waitOf = (headers: Readonly<Record<string, string>>, number: number, now: number): Ms =>
  retryAfter(headers, now) ?? Math.min(LONGEST_MS, FIRST_MS * 2 ** (number - 1));
