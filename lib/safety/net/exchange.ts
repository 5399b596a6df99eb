import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import type { LookupFunction, Socket } from "node:net";
import { pipeline, Readable } from "node:stream";
import { systemCode } from "../../base/errors.js";
import { NetError, type NetFailure, type NetRequest, type NetResponse, type NetTrust } from "../../base/net/net.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import { addressRefusal } from "./address.js";
import { decoded } from "./decode.js";
import { netModules } from "./modules.js";
import type { Pools } from "./pool.js";
import { whileOpening } from "./tunnel.js";

/** A limit as people read it: what is left of 20 s is 19999.995552 ms. */
export const waitText = (ms: Ms): string =>
  ms < 1_000 ? `${Math.ceil(ms)} ms` : `${Number((ms / 1_000).toFixed(1))} s`;

/** A target whose addresses were looked at. */
export interface CheckedTarget {
  readonly url: URL;
  /** Host without brackets and trailing dot; also the name in TLS. */
  readonly host: string;
  readonly addresses: readonly string[];
  /** Why an address must not be reached, or undefined. Asked again about the socket that was connected. */
  refusal(address: string): string | undefined;
}

const CONNECT_MS = 30_000;
const LOOPBACK = { purpose: "loopback", allowPrivate: false, fakeRanges: [] } as const;

/** One request and its answer, without redirects. @throws NetError */
export async function exchange(pools: Pools, request: NetRequest, checked: CheckedTarget): Promise<NetResponse> {
  const secure = checked.url.protocol === "https:";
  const trust = secure ? trustFor(request.trust, checked) : undefined;
  const agent = await pools.agent(secure, request.purpose, { proxy: request.proxy, trust });
  const { request: send } = await (secure ? netModules.https() : netModules.http());
  const life = new Life(pools, request);
  const opening = new AbortController();
  try {
    if (life.cause) throw life.cause;
    const outgoing = send({ ...optionsOf(pools, request, checked, agent), ...whileOpening(opening.signal) });
    const incoming = await answered(outgoing, life, { pools, request, checked, opening });
    return responseOf(incoming, life, request, pools.options.clock);
  } catch (error) {
    life.end();
    throw life.cause ?? netError(error, checked.url);
  }
}

/** What is not verified stays on this machine, whoever asks for it and wherever a redirect leads. */
function trustFor(trust: NetTrust | undefined, { host, addresses }: CheckedTarget): NetTrust | undefined {
  const isHere = (address: string) => addressRefusal(address, host, false, LOOPBACK) === undefined;
  if (trust?.insecure !== true || (addresses.length > 0 && addresses.every(isHere))) return trust;
  return trust.ca === undefined ? undefined : { ca: trust.ca };
}

function optionsOf(
  pools: Pools,
  request: NetRequest,
  checked: CheckedTarget,
  agent: RequestOptions["agent"],
): RequestOptions {
  const { url, host } = checked;
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const first = checked.addresses[0] ?? host;
  const dialled = request.proxy === undefined ? pools.options.dial?.(first, port) : undefined;
  const literal = checked.addresses.length === 1 && first === host;
  return {
    agent,
    method: request.method,
    host: dialled?.address ?? host,
    port: dialled?.port ?? port,
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, "accept-encoding": "identity", ...request.headers },
    lookup: pinned(checked.addresses),
    ...(url.protocol === "https:" && !literal ? { servername: host } : {}),
  };
}

/** Answers the connector with the addresses that were checked, so that a second answer of the resolver cannot be met. */
function pinned(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  return (_host, options, done) => {
    const wanted = entries.filter(
      (entry) => !options.family || entry.family === options.family || options.family === `IPv${entry.family}`,
    );
    const [first] = wanted.length > 0 ? wanted : entries;
    if (options.all) process.nextTick(done, null, wanted.length > 0 ? wanted : entries);
    else process.nextTick(done, null, first?.address ?? "", first?.family ?? 4);
  };
}

interface Send {
  readonly pools: Pools;
  readonly request: NetRequest;
  readonly checked: CheckedTarget;
  /** Aborts the making of a connection, which a request does not end that has none yet. */
  readonly opening: AbortController;
}

function answered(outgoing: ClientRequest, life: Life, send: Send): Promise<IncomingMessage> {
  const { request, checked, opening } = send;
  const peer = send.pools.options.peer ?? ((socket: Socket) => socket.remoteAddress);
  return new Promise((resolve, reject) => {
    life.own((cause) => {
      opening.abort(cause);
      outgoing.destroy(cause);
    });
    life.limit(request.connectMs ?? CONNECT_MS, `${checked.url.host} did not take the connection`);
    let settled = false;
    const fail = (error: unknown) => {
      // A reset after the headers belongs to the body, whose reader gets the cause.
      if (settled) life.fail(netError(error, checked.url));
      settled = true;
      reject(error);
    };
    outgoing.on("error", fail);
    outgoing.once("response", (incoming) => {
      settled = true;
      resolve(incoming);
    });
    // An answer that asks to change the protocol brings neither a response nor an error.
    outgoing.once("upgrade", (_answer, socket) => {
      socket.destroy();
      fail(new NetError("protocol", `${checked.url.host} wants another protocol`));
    });
    outgoing.once("socket", (socket) => {
      const look = () => {
        const address = peer(socket);
        const why = address === undefined ? `blocked: ${checked.host} shows no address` : checked.refusal(address);
        if (why !== undefined && !socket.destroyed) life.fail(new NetError("blocked", why));
      };
      const ready = () => life.limit(request.idleMs, `${checked.url.host} was silent`);
      if (!socket.connecting) {
        look();
        ready();
        return;
      }
      socket.once("connect", look);
      socket.once(checked.url.protocol === "https:" ? "secureConnect" : "connect", ready);
    });
    sendBody(outgoing, request.body, (error) => life.fail(netError(error, checked.url)));
  });
}

/** Pieces are dropped as soon as the exchange is over. @param broken one of them failed: what was sent must not look whole */
function sendBody(outgoing: ClientRequest, body: NetRequest["body"], broken: (error: unknown) => void): void {
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) outgoing.end(body);
  else pipeline(Readable.from(watched(body, broken), { objectMode: false }), outgoing, () => undefined);
}

async function* watched(
  pieces: AsyncIterable<Uint8Array>,
  broken: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (error) {
    broken(error);
    throw error;
  }
}

/** The limits of one exchange. The first cause wins and is what every later reader gets. */
class Life {
  cause: NetError | undefined;
  readonly #clock: Clock;
  readonly #pools: Pools;
  readonly #cleanups: (() => void)[] = [];
  #disarm: (() => void) | undefined;
  #destroy: ((cause: NetError) => void) | undefined;
  readonly fail: (cause: NetError) => void;

  constructor(pools: Pools, request: NetRequest) {
    this.#clock = pools.options.clock;
    this.#pools = pools;
    this.fail = (cause) => {
      this.cause ??= cause;
      this.end();
      this.#destroy?.(this.cause);
    };
    pools.open.add(this.fail);
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
    this.#pools.open.delete(this.fail);
  }
}

const timeout = (message: string) => new NetError("timeout", message);

function responseOf(incoming: IncomingMessage, life: Life, request: NetRequest, clock: Clock): NetResponse {
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
  life.limit(0, "");
  life.own((cause) => incoming.destroy(cause));
  const cancel = () => {
    life.end();
    incoming.destroy();
  };
  incoming.on("error", (error) => {
    life.cause ??= netError(error, new URL(request.url));
  });
  const body = { [Symbol.asyncIterator]: () => readBody({ incoming, life, request, clock }) };
  return {
    url: request.url,
    status: incoming.statusCode ?? 0,
    headers,
    body,
    cancel,
    text: (max) => textOf(body, max, cancel),
  };
}

interface Reading {
  readonly incoming: IncomingMessage;
  readonly life: Life;
  readonly request: NetRequest;
  readonly clock: Clock;
}

async function* readBody({ incoming, life, request, clock }: Reading): AsyncGenerator<Uint8Array, void> {
  let size = 0;
  try {
    const source = (await decoded(incoming))[Symbol.asyncIterator]();
    for (;;) {
      if (request.idleMs) life.limit(request.idleMs, `${new URL(request.url).host} was silent`);
      const next: IteratorResult<Uint8Array> = await source.next();
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
    if (life.cause) incoming.destroy();
    else if (!incoming.readableEnded) linger(incoming, clock);
  }
}

/** How long a reader who has seen enough waits for the rest, so that the connection can be used again. */
const LINGER_MS = 50;

/** The rest flows only when nobody listens for its pieces any more, which the reader that was left does. */
function linger(incoming: IncomingMessage, clock: Clock): void {
  incoming.removeAllListeners("readable");
  const stop = clock.after(LINGER_MS, () => incoming.destroy());
  incoming.once("close", stop);
  incoming.resume();
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
