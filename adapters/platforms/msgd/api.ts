import { type Net, NetError, type NetResponse } from "../../../lib/base/net/net.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";
import type { Observation } from "../../../lib/contracts/gateway/outbox.js";
import type { Library } from "./library.js";
import { createLimits, type Limits } from "./limits.js";
import type { MsgdSettings } from "./settings.js";
import { ErrorShape } from "./wire.js";

export type Refusal = Exclude<Observation, { readonly saw: "accepted" }>;

/** What came of a call. `code`: the platform's own number of the error; 0: none. */
export type Answer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly seen: Refusal; readonly code: number };

export interface UploadFile {
  readonly name: string;
  readonly mime: string;
  readonly bytes: Uint8Array;
}

export interface CallHow {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly files?: readonly UploadFile[];
  /** False: the address itself is the right to ask. */
  readonly auth?: false;
  /** Most time for the whole exchange. */
  readonly totalMs?: Ms;
  readonly signal: AbortSignal;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The platform's REST calls. One call is one request, never repeated. The token is in no error. */
export interface Api {
  call(method: Method, route: `/${string}`, how: CallHow): Promise<Answer>;
}

export interface ApiParts {
  readonly library: Pick<Library, "REST" | "RequestMethod">;
  readonly settings: MsgdSettings;
  readonly net: Net;
  readonly clock: Clock;
}

const CONNECT_MS: Ms = 10_000;
const CALL_MS: Ms = 20_000;
/** The library's own end of a call is later than ours, so that it never decides. */
const LIBRARY_MS: Ms = 600_000;
const ANSWER_BYTES = 16 << 20;
/** Nothing of the request was written. */
const UNSENT: ReadonlySet<string> = new Set(["refused", "dns", "tls", "blocked"]);

/** An answer other than success, on its way through the library. */
class Refused extends Error {
  override readonly name = "Refused";
  readonly answer: Extract<Answer, { readonly ok: false }>;
  constructor(answer: Extract<Answer, { readonly ok: false }>) {
    super("refused");
    this.answer = answer;
  }
}

/**
 * The library builds requests and reads answers; its transport is the product's own network, it repeats nothing and waits for nothing. What is no
 * success leaves it as what was seen: the library would lose the body of an error, which says whether the platform itself speaks.
 */
export function createApi({ library, settings, net, clock }: ApiParts): Api {
  const limits = createLimits(clock);
  const { Get, Post, Put, Patch, Delete } = library.RequestMethod;
  const methods = { GET: Get, POST: Post, PUT: Put, PATCH: Patch, DELETE: Delete };
  const rest = new library.REST({
    api: settings.apiBase,
    version: "10",
    retries: 0,
    rejectOnRateLimit: () => true,
    timeout: LIBRARY_MS,
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    handlerSweepInterval: 0,
    hashSweepInterval: 0,
    offset: 0,
    makeRequest: (url, init) => transport(net, limits, url, init),
  }).setToken(settings.token.reveal());
  const clean = (error: unknown) =>
    (error instanceof Error ? error.message : String(error)).replaceAll(settings.token.reveal(), "[secret]");
  return {
    call: async (method, route, { body, query, files = [], auth, totalMs = CALL_MS, signal }) => {
      const call = `${method} ${route}`;
      const wait = limits.wait(call);
      if (wait > 0) return limited(wait);
      // The library keeps a listener on the signal that it gets: one of the call's own is forgotten with it.
      const control = new AbortController();
      const stop = () => control.abort(signal.reason);
      if (signal.aborted) stop();
      signal.addEventListener("abort", stop, { once: true });
      try {
        const result = await rest.request({
          method: methods[method],
          fullRoute: route,
          signal: control.signal,
          ...(body === undefined ? {} : { body }),
          ...(query === undefined ? {} : { query: new URLSearchParams({ ...query }) }),
          ...(auth === undefined ? {} : { auth }),
          files: files.map(({ name, mime, bytes }) => ({ name, contentType: mime, data: bytes })),
          headers: { [TOTAL]: String(totalMs) },
        });
        return { ok: true, result };
      } catch (error) {
        if (error instanceof Refused) return error.answer;
        const unsent = error instanceof NetError && UNSENT.has(error.failure);
        return { ok: false, code: 0, seen: { saw: unsent ? "unsent" : "cut", error: clean(error) } };
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
  };
}

/** Tells the transport how long an exchange may take; it goes no further. */
const TOTAL = "x-total-ms";

const limited = (ms: Ms): Answer => ({
  ok: false,
  code: 0,
  seen: { saw: "answer", status: 429, ownFormat: true, error: "the platform wants fewer calls", retryAfterMs: ms },
});

type MakeRequest = NonNullable<ConstructorParameters<Library["REST"]>[0]>["makeRequest"];
type Made = NonNullable<MakeRequest>;

/** @throws Refused, NetError */
async function transport(net: Net, limits: Limits, url: string, init: Parameters<Made>[1]): ReturnType<Made> {
  const { headers, body } = await written(init);
  const { [TOTAL]: total, ...rest } = headers;
  const method = methodOf(init.method);
  const response = await net.fetch({
    method,
    url,
    headers: rest,
    purpose: "model",
    redirects: false,
    connectMs: CONNECT_MS,
    maxBytes: ANSWER_BYTES,
    ...(body === undefined ? {} : { body }),
    ...(init.signal == null ? {} : { signal: init.signal }),
    totalMs: Number(total ?? CALL_MS),
  });
  const text = await response.text(ANSWER_BYTES);
  const call = `${method} ${new URL(url).pathname.replace(/^.*?\/v10(?=\/)/, "")}`;
  if (response.status >= 200 && response.status < 300) {
    limits.learn(call, response.headers);
    const type = response.headers["content-type"] ?? "";
    return new Response(text === "" ? null : text, { status: response.status, headers: { "content-type": type } });
  }
  const refusal = refusalOf(response, text);
  const { seen } = refusal;
  const retry =
    seen.saw === "answer" && seen.retryAfterMs !== undefined
      ? { ms: seen.retryAfterMs, global: isGlobal(response, text) }
      : undefined;
  limits.learn(call, response.headers, retry);
  throw new Refused(refusal);
}

const METHODS: readonly Method[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

function methodOf(method: string | undefined): Method {
  const found = METHODS.find((one) => one === method);
  if (found === undefined) throw new Error(`a call of the method ${method}`);
  return found;
}

/** The request as bytes: forms are written by the runtime. */
async function written({
  headers,
  body,
}: Parameters<Made>[1]): Promise<{ readonly headers: Record<string, string>; readonly body?: string | Uint8Array }> {
  const named: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) named[name.toLowerCase()] = String(value);
  if (body == null) return { headers: named };
  if (typeof body === "string")
    return { headers: { ...named, "content-length": String(Buffer.byteLength(body)) }, body };
  const form = new Response(body as FormData); // the library writes text or a form
  const bytes = new Uint8Array(await form.arrayBuffer());
  const type = form.headers.get("content-type") ?? "";
  return { headers: { ...named, "content-type": type, "content-length": String(bytes.length) }, body: bytes };
}

function refusalOf({ status, headers }: NetResponse, text: string): Extract<Answer, { readonly ok: false }> {
  const error = parsed(text);
  const said = error === undefined ? `the platform answered ${status}` : wordsOf(error);
  const wait = error?.retry_after ?? (status === 429 ? Number(headers["retry-after"] ?? 1) : undefined);
  return {
    ok: false,
    code: error?.code ?? 0,
    seen: {
      saw: "answer",
      status,
      ownFormat: error !== undefined,
      error: said,
      ...(wait === undefined || !Number.isFinite(wait) ? {} : { retryAfterMs: Math.ceil(wait * 1000) }),
      ...(status === 401 ? { credential: true } : {}),
    },
  };
}

/** The message, and what is wrong in the first field that is wrong. */
function wordsOf({ message, errors }: NonNullable<ReturnType<typeof parsed>>): string {
  if (errors === undefined) return message;
  const detail = /"message":"((?:[^"\\]|\\.)*)"/.exec(JSON.stringify(errors))?.[1];
  return detail === undefined ? message : `${message}: ${detail}`;
}

const isGlobal = ({ headers }: NetResponse, text: string) =>
  headers["x-ratelimit-global"] !== undefined || parsed(text)?.global === true;

/** Undefined: it is not in the platform's format. */
function parsed(text: string) {
  try {
    return ErrorShape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
