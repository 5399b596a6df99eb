import type { messagingApi } from "@line/bot-sdk";
import { type Net, NetError } from "../../../lib/base/net/net.js";
import type { Ms } from "../../../lib/base/units.js";
import type { Observation } from "../../../lib/contracts/gateway/outbox.js";
import type { Library } from "./library.js";
import type { MsglSettings } from "./settings.js";
import { ErrorShape, SentShape } from "./wire.js";

export type Refusal = Exclude<Observation, { readonly saw: "accepted" }>;
export type Message = messagingApi.Message;

/** What came of a call. `usedKey`: the platform knows the retry key, so an earlier call with it was accepted. */
export type Answer =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly seen: Refusal; readonly usedKey?: true };

/** The Messaging API. One call is one request, never repeated; the token is in no error. */
export interface Api {
  reply(replyToken: string, messages: readonly Message[], signal: AbortSignal): Promise<Answer>;
  push(
    to: string,
    messages: readonly Message[],
    how: { readonly key: string; readonly signal: AbortSignal },
  ): Promise<Answer>;
  loading(chatId: string, signal: AbortSignal): Promise<Answer>;
  info(signal: AbortSignal): Promise<Answer>;
  /** Bytes of a message. @throws Error that says why it cannot be had */
  content(messageId: string, maxBytes: number, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

const CONNECT_MS: Ms = 10_000;
const SEND_MS: Ms = 15_000;
const LOADING_MS: Ms = 5_000;
const INFO_MS: Ms = 10_000;
const CONTENT_MS: Ms = 30_000;
const ANSWER_BYTES = 1 << 20;
const LOADING_SECONDS = 60;
/** Nothing of the request was written. */
const UNSENT: ReadonlySet<string> = new Set(["refused", "dns", "tls", "blocked"]);

/** Requests are written and answers read by the library; they travel through the product's own door to the network, which bounds and ends them. */
export function createApi(library: Library, settings: MsglSettings, net: Net): Api {
  const call = async (
    work: (client: messagingApi.MessagingApiClient) => Promise<unknown>,
    totalMs: Ms,
    signal: AbortSignal,
  ): Promise<Answer> => {
    const client = new library.messagingApi.MessagingApiClient({
      channelAccessToken: settings.token.reveal(),
      baseURL: `${settings.apiBase}/`,
    });
    Reflect.set(client, "httpClient", transport({ settings, net, totalMs, signal }));
    try {
      return { ok: true, body: await work(client) };
    } catch (error) {
      return failed(error, settings);
    }
  };
  return {
    reply: (replyToken, messages, signal) =>
      call((client) => client.replyMessage({ replyToken, messages: [...messages] }), SEND_MS, signal),
    push: (to, messages, { key, signal }) =>
      call((client) => client.pushMessage({ to, messages: [...messages] }, key), SEND_MS, signal),
    loading: (chatId, signal) =>
      call((client) => client.showLoadingAnimation({ chatId, loadingSeconds: LOADING_SECONDS }), LOADING_MS, signal),
    info: (signal) => call((client) => client.getBotInfo(), INFO_MS, signal),
    content: (messageId, maxBytes, signal) => content({ settings, net, messageId, maxBytes, signal }),
  };
}

/** An error answer of the platform, before it is judged. */
class Refused extends Error {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
  constructor(status: number, text: string, retryAfter: string | undefined) {
    super(`the platform answered ${status}`);
    this.status = status;
    this.text = text;
    this.retryAfter = retryAfter;
  }
}

interface Travelling {
  readonly settings: MsglSettings;
  readonly net: Net;
  readonly totalMs: Ms;
  readonly signal: AbortSignal;
}

/** What the clients of the library send with. `api.test.ts` holds that they use it. */
function transport({ settings, net, totalMs, signal }: Travelling) {
  const ask = async (
    method: "GET" | "POST",
    path: string,
    more: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> },
  ) => {
    const response = await net.fetch({
      method,
      purpose: "model",
      redirects: false,
      url: `${settings.apiBase}${path}`,
      headers: {
        ...more.headers,
        authorization: `Bearer ${settings.token.reveal()}`,
        ...(more.body === undefined ? {} : JSON_TYPE),
      },
      ...(more.body === undefined ? {} : { body: more.body }),
      connectMs: CONNECT_MS,
      totalMs,
      maxBytes: ANSWER_BYTES,
      signal,
    });
    const text = await response.text(ANSWER_BYTES);
    if (response.status >= 300) throw new Refused(response.status, text, response.headers["retry-after"]);
    return {
      status: response.status,
      headers: new Headers(response.headers),
      text: async () => text,
      json: async (): Promise<unknown> => parsed(text),
    };
  };
  return {
    get: (path: string) => ask("GET", path, {}),
    post: (path: string, body?: unknown, config: { readonly headers?: Readonly<Record<string, string>> } = {}) =>
      ask("POST", path, { body: JSON.stringify(body ?? {}), ...config }),
  };
}

const JSON_TYPE = { "content-type": "application/json" };

function failed(error: unknown, { token }: MsglSettings): Answer {
  if (!(error instanceof Refused)) {
    const unsent = error instanceof NetError && UNSENT.has(error.failure);
    return { ok: false, seen: { saw: unsent ? "unsent" : "cut", error: without(error, token.reveal()) } };
  }
  const { status, text, retryAfter } = error;
  const known = ErrorShape.safeParse(parsed(text)).data;
  const details = (known?.details ?? []).flatMap(({ message, property }) => [
    [property, message].filter(Boolean).join(": "),
  ]);
  const said = known === undefined ? error.message : [known.message, ...details].join("; ").slice(0, 500);
  const wait = retryAfter === undefined || !/^\d{1,6}$/.test(retryAfter) ? undefined : Number(retryAfter) * 1000;
  const seen: Refusal = {
    saw: "answer",
    status,
    ownFormat: known !== undefined,
    error: said.replaceAll(token.reveal(), "[secret]"),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
    ...(status === 401 ? { credential: true } : {}),
  };
  return { ok: false, seen, ...(status === 409 ? { usedKey: true as const } : {}) };
}

const without = (error: unknown, secret: string): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(secret, "[secret]");

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not the platform's own format
  }
}

/** Ids of the messages that a call made. */
export function idsOf(body: unknown): readonly string[] {
  return (SentShape.safeParse(body).data?.sentMessages ?? []).map(({ id }) => id);
}

interface Fetching {
  readonly settings: MsglSettings;
  readonly net: Net;
  readonly messageId: string;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

async function content({ settings, net, messageId, maxBytes, signal }: Fetching): Promise<AsyncIterable<Uint8Array>> {
  const url = `${settings.dataBase}/v2/bot/message/${encodeURIComponent(messageId)}/content`;
  const headers = { authorization: `Bearer ${settings.token.reveal()}` };
  try {
    const how = { connectMs: CONNECT_MS, totalMs: CONTENT_MS, maxBytes, signal };
    const response = await net.fetch({ method: "GET", purpose: "model", redirects: false, url, headers, ...how });
    if (response.status === 200) return response.body;
    response.cancel();
    throw new Error(`the file cannot be fetched: the platform answered ${response.status}`);
  } catch (error) {
    throw new Error(without(error, settings.token.reveal()));
  }
}
