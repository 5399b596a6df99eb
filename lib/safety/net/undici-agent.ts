import type { Socket } from "node:net";
import { Readable } from "node:stream";
import type { Agent, Dispatcher } from "undici";
import UndiciAgent from "undici/lib/dispatcher/agent.js";
import { systemCode } from "../../base/errors.js";
import { NetError } from "../../base/net/net.js";
import type { Ms } from "../../base/units.js";
import { skipContinue } from "./skip-continue.js";

/** How an agent of undici makes and keeps its connections. `Wanted` is what the maker of a connection must know of its origin. */
export interface AgentPlan<Wanted> {
  /** How long a connection without a request is kept. */
  readonly idleMs: Ms;
  /** Longest head of an answer. */
  readonly headBytes: number;
  /** A connection whose other end was looked at before anything was sent. */
  connect(wanted: Wanted, opening: AbortSignal): Promise<Socket>;
}

/** An agent of undici that gets with each request what it may connect to. Time limits are the caller's. */
export interface GuardedAgent<Wanted> {
  readonly agent: Agent;
  /** Origins with requests that wait for a connection. */
  readonly waiting: Map<string, Waiting<Wanted>>;
  /** Resolves when connections whose answers have just ended take the next request. */
  settled: Promise<void>;
}

/** Requests to one origin that have no connection yet. */
interface Waiting<Wanted> {
  requests: number;
  /** That of the newest of them. It was held against the rule that all of them have. */
  wanted: Wanted;
  /** Connections that are being made. */
  readonly opening: Set<AbortController>;
}

/** An agent whose every connection is made by `plan`. */
export function guardedAgent<Wanted>(plan: AgentPlan<Wanted>): GuardedAgent<Wanted> {
  const waiting: GuardedAgent<Wanted>["waiting"] = new Map();
  const agent = new UndiciAgent({
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: plan.idleMs,
    keepAliveMaxTimeout: plan.idleMs,
    maxHeaderSize: plan.headBytes,
    connect: ({ protocol, host, hostname }, done) => {
      const here = waiting.get(`${protocol}//${host ?? hostname}`);
      if (here === undefined) {
        done(new NetError("aborted", "nobody waits for the connection any more"), null);
        return;
      }
      open(plan, here).then(
        (socket) => {
          skipContinue(socket);
          done(null, socket);
        },
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error)), null),
      );
    },
  });
  return { agent, waiting, settled: Promise.resolve() };
}

async function open<Wanted>(plan: AgentPlan<Wanted>, here: Waiting<Wanted>): Promise<Socket> {
  const opening = new AbortController();
  here.opening.add(opening);
  try {
    return await plan.connect(here.wanted, opening.signal);
  } catch (error) {
    throw opening.signal.aborted ? new NetError("aborted", "the request was stopped") : error;
  } finally {
    here.opening.delete(opening);
  }
}

/** One request as undici takes it. */
export interface Dispatched {
  readonly url: URL;
  readonly path: string;
  readonly method: string;
  readonly headers: Record<string, string> | string[];
  readonly body: string | Uint8Array | Readable | null;
}

/** What it reports. */
export interface Answering {
  /** It has a connection. */
  connected(): void;
  began(head: AnswerHead): void;
  /** Before the answer began. */
  failed(error: Error): void;
}

export interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  /** Name and value in turn, as they came. */
  readonly rawHeaders: readonly string[];
  /** Ends only when the whole of it has come; to destroy it drops the connection. */
  readonly body: Readable;
}

/** Send a request. @returns drops its connection; harmless twice, and when everything is over */
export function dispatch<Wanted>(
  guarded: GuardedAgent<Wanted>,
  wanted: Wanted,
  sent: Dispatched,
  to: Answering,
): (cause: Error) => void {
  const { url, body } = sent;
  const unwait = wait(guarded.waiting, url.origin, wanted);
  const failed = (error: Error) => {
    unwait();
    if (body instanceof Readable) body.destroy();
    to.failed(error);
  };
  const answer = new Answer(url, {
    began: to.began,
    failed,
    connected: () => {
      unwait();
      to.connected();
    },
    ended: () => {
      guarded.settled = Promise.resolve().then(turnOfLoop);
    },
  });
  const stop = (cause: Error) => {
    if (!answer.began) failed(cause);
    answer.stop(cause);
  };
  const { path, method, headers } = sent;
  guarded.agent.dispatch({ origin: url.origin, path, method, headers, body }, answer);
  return stop;
}

/** undici takes a connection back one turn of the loop after its answer ended; asked before, it opens another one. */
const turnOfLoop = () => new Promise<void>((settle) => setImmediate(settle));

/** Count a request as one without a connection, until the function that is returned is called. When none is left, connections that are being made end. */
function wait<Wanted>(waiting: GuardedAgent<Wanted>["waiting"], origin: string, wanted: Wanted): () => void {
  const here = waiting.get(origin) ?? { requests: 0, wanted, opening: new Set() };
  here.requests += 1;
  here.wanted = wanted;
  waiting.set(origin, here);
  let waits = true;
  return () => {
    if (!waits) return;
    waits = false;
    here.requests -= 1;
    if (here.requests > 0) return;
    if (waiting.get(origin) === here) waiting.delete(origin);
    for (const opening of here.opening) opening.abort();
  };
}

/** What undici tells of one request, as one stream. */
class Answer implements Dispatcher.DispatchHandler {
  #stopped: Error | undefined;
  readonly #url: URL;
  readonly #to: Answering & { ended(): void };
  #controller: Dispatcher.DispatchController | undefined;
  #body: Readable | undefined;
  #whole = false;

  constructor(url: URL, to: Answering & { ended(): void }) {
    this.#url = url;
    this.#to = to;
  }

  get began(): boolean {
    return this.#body !== undefined;
  }

  /** Drop the connection. Harmless twice, and when everything is over. */
  stop(cause: Error): void {
    this.#stopped ??= cause;
    if (!this.#whole) this.#controller?.abort(cause);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#stopped === undefined) this.#to.connected();
    else controller.abort(this.#stopped);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusText: string | undefined,
  ): void {
    if (status < 200) return; // news about an answer that is still to come
    const body = new Readable({
      read: () => controller.resume(),
      destroy: (error, done) => {
        this.stop(error ?? new NetError("aborted", "the answer was dropped"));
        done(error);
      },
    });
    body.on("error", () => undefined); // it may come before the one who reads listens, who finds it in the stream
    this.#body = body;
    this.#to.began({ status, statusText: statusText ?? "", rawHeaders: textsOf(controller.rawHeaders), body });
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#body?.push(piece) === false) controller.pause();
  }

  onResponseEnd(): void {
    this.#whole = true;
    this.#to.ended();
    this.#body?.push(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const why = plainError(error, this.#url, this.began);
    this.#whole = true;
    if (this.#body === undefined) this.#to.failed(why);
    else this.#body.destroy(why);
  }
}

/** Names and values as they came, without the blanks behind a value. */
function textsOf(raw: Dispatcher.DispatchController["rawHeaders"]): readonly string[] {
  if (!Array.isArray(raw)) return [];
  return raw.map((one) => (typeof one === "string" ? one : one.toString("latin1")).replace(/[ \t]+$/, ""));
}

/**
 * An error of undici in the words of the network port; others stay as they are. Whatever is wrong with an answer of a stated length is a length that
 * does not match, in its words.
 *
 * @param began the head of the answer was read
 */
function plainError(error: Error, url: URL, began: boolean): Error {
  const code = systemCode(error);
  const ended = code === "UND_ERR_SOCKET" ? !error.message.startsWith("bad ") : error.message.includes("Invalid EOF");
  if (ended || (began && code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"))
    return new NetError("reset", `${url.host}: connection closed before the answer was whole`, error);
  if (error.message === "bad upgrade") return new NetError("protocol", `${url.host} wants another protocol`, error);
  return error;
}
