import { type Net, NetError } from "../../../lib/base/net/net.js";
import type { Ms } from "../../../lib/base/units.js";
import type { Observation } from "../../../lib/contracts/gateway/outbox.js";
import type { UploadFile } from "./files.js";
import type { Library } from "./library.js";
import type { MsgtSettings } from "./settings.js";
import { Foreign, transport } from "./transport.js";

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

/** The Bot API by the client of its library. One call is one request, never repeated. Its token is in no error. */
export interface Api {
  call(method: string, params: Readonly<Record<string, unknown>>, how: CallHow): Promise<Answer>;
  /** Bytes of a file that `getFile` named. @throws NetError, Error */
  download(path: string, maxBytes: number, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

export interface ApiDeps {
  readonly net: Net;
  /** Undefined before the first connect. */
  readonly library: () => Library | undefined;
}

const CONNECT_MS: Ms = 10_000;
const CALL_MS: Ms = 20_000;
const DOWNLOAD_MS: Ms = 120_000;
/** The library's own limit, which is never reached: ours are those of the network port. */
const NEVER_SECONDS = 3600;
/** Nothing of the request was written. A connection that was not taken in time counts as written: the difference cannot be seen here. */
const UNSENT: ReadonlySet<string> = new Set(["refused", "dns", "tls", "blocked"]);

export function createApi(settings: MsgtSettings, { net, library }: ApiDeps): Api {
  const { token, apiBase, fileBase, proxy, fallbackAddresses } = settings;
  const way = { proxy, fallbackAddresses };
  const clean = (error: unknown) =>
    (error instanceof Error ? error.message : String(error)).replaceAll(token.reveal(), "[secret]");
  const failed = (error: unknown): Answer => {
    if (error instanceof Foreign)
      return { ok: false, seen: { saw: "answer", status: error.status, ownFormat: false, error: error.message } };
    const unsent = error instanceof NetError && UNSENT.has(error.failure);
    return { ok: false, seen: { saw: unsent ? "unsent" : "cut", error: clean(error) } };
  };
  return {
    call: async (method, params, { signal, totalMs = CALL_MS, file }) => {
      const used = library();
      if (used === undefined) return { ok: false, seen: { saw: "unsent", error: "MSGT was not connected yet" } };
      // One for each call: what carries it knows the limits of this call.
      const fetch = transport(net, { signal, totalMs, connectMs: CONNECT_MS, way });
      const client = new used.Api(token.reveal(), { apiRoot: apiBase, timeoutSeconds: NEVER_SECONDS, fetch });
      try {
        return { ok: true, result: await methodOf(client, method)(...argumentsOf(used, params, file)) };
      } catch (error) {
        if (error instanceof used.GrammyError) return refusedBy(error);
        return failed(error instanceof used.HttpError ? error.error : error);
      }
    },
    download: async (path, maxBytes, signal) => {
      const safe = path.split("/").map(encodeURIComponent).join("/");
      const url = `${fileBase}/file/bot${token.reveal()}/${safe}`;
      const how = { connectMs: CONNECT_MS, totalMs: DOWNLOAD_MS, maxBytes, signal };
      try {
        const response = await net.fetch({
          ...way,
          method: "GET",
          purpose: "model",
          redirects: false,
          url,
          headers: {},
          ...how,
        });
        if (response.status === 200) return response.body;
        response.cancel();
        throw new Error(`the file cannot be fetched: the platform answered ${response.status}`);
      } catch (error) {
        throw new Error(clean(error));
      }
    },
  };
}

type Method = (...given: readonly unknown[]) => Promise<unknown>;

/** Methods of the platform by name, those that the library has no type for as well. */
function methodOf({ raw }: InstanceType<Library["Api"]>, method: string): Method {
  const found: unknown = Reflect.get(raw, method);
  return found as Method; // the library answers every name with the method of that name
}

/** A method that takes nothing is called with nothing: the library would take an empty object for a signal. */
function argumentsOf(
  { InputFile }: Library,
  params: Readonly<Record<string, unknown>>,
  file: UploadFile | undefined,
): readonly unknown[] {
  if (file === undefined) return Object.keys(params).length === 0 ? [] : [params];
  return [{ ...params, [file.field]: new InputFile(file.pieces, quoted(file.name)) }];
}

/** As browsers write it. The library puts the name into a head as it is, where white space and `;` would end it. */
const quoted = (name: string) => `"${name.replace(/[\r\n]/g, "_").replaceAll('"', "%22")}"`;

/** The platform said no. */
function refusedBy({ error_code: code, description, parameters }: InstanceType<Library["GrammyError"]>): Answer {
  const { retry_after: wait, migrate_to_chat_id: moved } = parameters;
  const seen: Refusal = {
    saw: "answer",
    status: code,
    ownFormat: true,
    error: description,
    ...(wait === undefined ? {} : { retryAfterMs: wait * 1000 }),
    ...(code === 401 ? { credential: true } : {}),
  };
  return { ok: false, seen, ...(moved === undefined ? {} : { migrated: String(moved) }) };
}
