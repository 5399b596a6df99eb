import { type Net, NetError } from "../../../lib/base/net.js";
import type { Ms } from "../../../lib/base/units.js";
import type { Observation } from "../../../lib/proto/gateway-outbox.js";
import { type UploadFile, uploadOf } from "../common/upload.js";
import type { MsgtSettings } from "./settings.js";
import { AnswerShape } from "./wire.js";

export type Refusal = Exclude<Observation, { readonly saw: "accepted" }>;

/** What came of a call. `migrated`: the chat has this id now, and nothing was done. */
export type Answer =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly seen: Refusal; readonly migrated?: string };

export interface CallHow {
  readonly signal: AbortSignal;
  /** Most time for the whole exchange. */
  readonly totalMs?: Ms;
  readonly file?: UploadFile;
}

/** The Bot API over HTTP. One call is one request, never repeated. Its token is in no error. */
export interface Api {
  call(method: string, params: Readonly<Record<string, unknown>>, how: CallHow): Promise<Answer>;
  /** Bytes of a file that `getFile` named. @throws NetError, Error */
  download(path: string, maxBytes: number, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

const CONNECT_MS: Ms = 10_000;
const CALL_MS: Ms = 20_000;
const DOWNLOAD_MS: Ms = 120_000;
const ANSWER_BYTES = 16 << 20;
/** Nothing of the request was written. A connection that was not taken in time counts as written: that cannot be told apart here. */
const UNSENT: ReadonlySet<string> = new Set(["refused", "dns", "tls", "blocked"]);

export function createApi({ token, apiBase, fileBase }: MsgtSettings, net: Net): Api {
  const clean = (error: unknown) => (error instanceof Error ? error.message : String(error)).replaceAll(token.reveal(), "[secret]");
  const fail = (error: unknown): Answer => {
    const unsent = error instanceof NetError && UNSENT.has(error.failure);
    return { ok: false, seen: { saw: unsent ? "unsent" : "cut", error: clean(error) } };
  };
  return {
    call: async (method, params, { signal, totalMs = CALL_MS, file }) => {
      const { type, body } = uploadOf(params, file);
      const request = {
        ...({ method: "POST", purpose: "model", redirects: false } as const),
        url: `${apiBase}/bot${token.reveal()}/${method}`,
        headers: { "content-type": type, "content-length": String(Buffer.byteLength(body)) },
        ...{ body, connectMs: CONNECT_MS, totalMs, maxBytes: ANSWER_BYTES, signal },
      };
      try {
        const response = await net.fetch(request);
        return answerOf(response.status, await response.text(ANSWER_BYTES));
      } catch (error) {
        return fail(error);
      }
    },
    download: async (path, maxBytes, signal) => {
      const safe = path.split("/").map(encodeURIComponent).join("/");
      const url = `${fileBase}/file/bot${token.reveal()}/${safe}`;
      const how = { connectMs: CONNECT_MS, totalMs: DOWNLOAD_MS, maxBytes, signal };
      try {
        const response = await net.fetch({ method: "GET", purpose: "model", redirects: false, url, headers: {}, ...how });
        if (response.status === 200) return response.body;
        response.cancel();
        throw new Error(`the file cannot be fetched: the platform answered ${response.status}`);
      } catch (error) {
        throw new Error(clean(error));
      }
    },
  };
}

function answerOf(status: number, text: string): Answer {
  const answer = parsed(text);
  if (answer === undefined)
    return { ok: false, seen: { saw: "answer", status, ownFormat: false, error: `the platform answered ${status}` } };
  if (answer.ok && status < 400) return { ok: true, result: answer.result };
  const { description = `the platform answered ${status}`, parameters, error_code: code = status } = answer;
  const wait = parameters?.retry_after;
  const moved = parameters?.migrate_to_chat_id;
  const seen: Refusal = {
    ...({ saw: "answer", status: code, ownFormat: true, error: description } as const),
    ...(wait === undefined ? {} : { retryAfterMs: wait * 1000 }),
    ...(code === 401 ? { credential: true } : {}),
  };
  return { ok: false, seen, ...(moved === undefined ? {} : { migrated: String(moved) }) };
}

/** Undefined: it is not in the platform's format. */
function parsed(text: string) {
  try {
    return AnswerShape.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
