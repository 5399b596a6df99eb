import { pipeline, type Readable, type Transform } from "node:stream";
import { systemCode } from "../../base/errors.js";
import { NetError, type NetFailure, type NetRequest, type NetResponse, type NetTrust } from "../../base/net/net.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import { addressRefusal } from "./address.js";
import { type CheckedTarget, type HttpClient, headersFrom, type Incoming, type Progress } from "./http-client.js";
import { netModules } from "./modules.js";

/** A limit as people read it: what is left of 20 s is 19999.995552 ms. */
export const waitText = (ms: Ms): string =>
  ms < 1_000 ? `${Math.ceil(ms)} ms` : `${Number((ms / 1_000).toFixed(1))} s`;

const CONNECT_MS = 30_000;
const LOOPBACK = { purpose: "loopback", allowPrivate: false, fakeRanges: [] } as const;

/** What the exchanges of one network door share. */
export interface Exchanges {
  readonly clock: Clock;
  readonly client: HttpClient;
  /** Ends of those that are open, so that closing the door can end them. */
  readonly open: Set<(error: NetError) => void>;
}

/** One request and its answer, without redirects. @throws NetError */
export async function exchange(
  exchanges: Exchanges,
  request: NetRequest,
  checked: CheckedTarget,
): Promise<NetResponse> {
  const trust = checked.url.protocol === "https:" ? trustFor(request.trust, checked) : undefined;
  const life = new Life(exchanges, request);
  try {
    if (life.cause) throw life.cause;
    life.limit(request.connectMs ?? CONNECT_MS, `${checked.url.host} did not take the connection`);
    const progress: Progress = {
      own: (end) => life.own(end),
      connected: () => life.limit(request.idleMs, `${checked.url.host} was silent`),
      fail: (error) => life.fail(netError(error, checked.url)),
    };
    const incoming = await exchanges.client.send({ request, checked, trust }, progress);
    return responseOf(incoming, life, request, exchanges.clock);
  } catch (error) {
    life.end();
    throw life.cause ?? netError(error, checked.url);
  }
}

/** What is not verified stays on this machine, for every caller and wherever a redirect leads. */
function trustFor(trust: NetTrust | undefined, { host, addresses }: CheckedTarget): NetTrust | undefined {
  const isHere = (address: string) => addressRefusal(address, host, false, LOOPBACK) === undefined;
  if (trust?.insecure !== true || (addresses.length > 0 && addresses.every(isHere))) return trust;
  const { insecure: _insecure, ...verified } = trust;
  return verified.ca === undefined && verified.client === undefined ? undefined : verified;
}

/** The limits of one exchange. The first cause wins and is what every later reader gets. */
class Life {
  cause: NetError | undefined;
  readonly #clock: Clock;
  readonly #open: Exchanges["open"];
  readonly #cleanups: (() => void)[] = [];
  #disarm: (() => void) | undefined;
  #destroy: ((cause: NetError) => void) | undefined;
  readonly fail: (cause: NetError) => void;

  constructor({ clock, open }: Exchanges, request: NetRequest) {
    this.#clock = clock;
    this.#open = open;
    this.fail = (cause) => {
      this.cause ??= cause;
      this.end();
      this.#destroy?.(this.cause);
    };
    open.add(this.fail);
    const { signal, totalMs } = request;
    const onAbort = () => this.fail(new NetError("aborted", "the request was stopped"));
    if (signal?.aborted) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#cleanups.push(() => signal?.removeEventListener("abort", onAbort));
    if (totalMs)
      this.#cleanups.push(
        this.#clock.after(totalMs, () => this.fail(timeout(`no full answer within ${waitText(totalMs)}`))),
      );
  }

  own(destroy: (cause: NetError) => void): void {
    this.#destroy = destroy;
    if (this.cause) destroy(this.cause);
  }

  /** Replace the running limit. 0 and undefined: none. */
  limit(ms: Ms | undefined, what: string): void {
    this.#disarm?.();
    this.#disarm = ms ? this.#clock.after(ms, () => this.fail(timeout(`${what} for ${waitText(ms)}`))) : undefined;
  }

  /** Give up for a reason of our own. */
  refuse(message: string): NetError {
    this.cause ??= new NetError("protocol", message);
    return this.cause;
  }

  end(): void {
    this.#disarm?.();
    for (const cleanup of this.#cleanups.splice(0)) cleanup();
    this.#open.delete(this.fail);
  }
}

const timeout = (message: string) => new NetError("timeout", message);

function responseOf(incoming: Incoming, life: Life, request: NetRequest, clock: Clock): NetResponse {
  const { status, rawHeaders, body: source } = incoming;
  const headers = headersFrom(rawHeaders);
  life.limit(0, "");
  life.own((cause) => source.destroy(cause));
  const cancel = () => {
    life.end();
    source.destroy();
  };
  source.on("error", (error) => {
    life.cause ??= netError(error, new URL(request.url));
  });
  const encoding = headers["content-encoding"];
  const body = { [Symbol.asyncIterator]: () => readBody({ source, encoding, life, request, clock }) };
  return { url: request.url, status, headers, body, cancel, text: (max) => textOf(body, max, cancel) };
}

interface Reading {
  readonly source: Readable;
  readonly encoding: string | undefined;
  readonly life: Life;
  readonly request: NetRequest;
  readonly clock: Clock;
}

async function* readBody({ source, encoding, life, request, clock }: Reading): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  try {
    const pieces: AsyncIterator<Uint8Array> = (await decoded(source, encoding))[Symbol.asyncIterator]();
    for (;;) {
      if (request.idleMs) life.limit(request.idleMs, `${new URL(request.url).host} was silent`);
      const next = await pieces.next();
      life.limit(0, "");
      if (life.cause) throw life.cause;
      if (next.done) return;
      size += next.value.length;
      if (request.maxBytes && size > request.maxBytes)
        throw new NetError("protocol", `the answer is larger than ${request.maxBytes} bytes`);
      yield next.value;
    }
  } catch (error) {
    throw life.cause ?? (error instanceof NetError ? error : netError(error, new URL(request.url)));
  } finally {
    life.end();
    if (life.cause) source.destroy();
    else if (!source.readableEnded) linger(source, clock);
  }
}

/** How long a reader who has seen enough waits for the rest, so that the connection can be used again. */
const LINGER_MS = 50;

/** The rest flows only when no one reads its pieces any longer, which the remaining reader does. */
function linger(source: Readable, clock: Clock): void {
  source.removeAllListeners("readable");
  const stop = clock.after(LINGER_MS, () => source.destroy());
  source.once("close", stop);
  source.resume();
}

async function textOf(body: AsyncIterable<Uint8Array>, maxBytes: number, cancel: () => void): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body) {
    parts.push(part);
    size += part.length;
    if (size >= maxBytes) break;
  }
  cancel();
  return new TextDecoder().decode(Buffer.concat(parts).subarray(0, maxBytes));
}

/** What a system error means. The table is read by the beginning of the code. */
const FAILURES: readonly (readonly [code: RegExp, failure: NetFailure])[] = [
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EHOSTDOWN|ENETDOWN)/, "refused"],
  [/^(ENOTFOUND|EAI_)/, "dns"],
  [/^(ECONNRESET|EPIPE|ECONNABORTED|ERR_STREAM_PREMATURE_CLOSE)/, "reset"],
  [/^(ETIMEDOUT|ESOCKETTIMEDOUT)/, "timeout"],
  [/^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|ERR_OSSL)/, "tls"],
];

/** What went wrong on the way to `url`, in the one form. */
export function netError(error: unknown, url: URL): NetError {
  if (error instanceof NetError) return error;
  const code = systemCode(error) ?? "";
  const failure = FAILURES.find(([pattern]) => pattern.test(code))?.[1] ?? "protocol";
  const detail = error instanceof Error && error.message !== "" ? error.message : code;
  return new NetError(failure, `${url.host}: ${detail}`, error);
}

/** The body as the server meant it. Some servers compress although `identity` was asked for. */
async function decoded(incoming: Readable, encoding: string | undefined): Promise<Readable> {
  const decoder = await decoderOf(encoding?.trim().toLowerCase());
  if (!decoder) return incoming;
  // The reader of the decoder gets the error; the callback only keeps the pipeline from throwing it again.
  return pipeline(incoming, decoder, () => undefined);
}

async function decoderOf(encoding: string | undefined): Promise<Transform | undefined> {
  if (encoding === undefined || encoding === "" || encoding === "identity") return undefined;
  const zlib = await netModules.zlib();
  if (encoding === "gzip" || encoding === "x-gzip") return zlib.createGunzip();
  if (encoding === "deflate") return zlib.createInflate();
  if (encoding === "br") return zlib.createBrotliDecompress();
  return undefined;
}
