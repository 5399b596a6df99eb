import { readOwner } from "../../storage/lock.js";
import { linkSignals } from "../base/async/abort-any.js";
import { AppError, toAppError } from "../base/errors.js";
import type { Home } from "../base/home.js";
import type { Clock } from "../base/time/clock.js";
import { systemClock } from "../base/time/clock.js";
import { afterWaiting } from "../base/time/suspend-safe-timer.js";
import type { Hello, Welcome, WireClaim, WireDelta, WireEvent } from "../contracts/wire/wire.js";
import { createLink, type Link } from "./link.js";
import { type RunCaller, type RunInput, runOver } from "./run-caller.js";
import { type LinkSource, type SubItem, type SubscribeOptions, subscribeOver } from "./subscription.js";
import { dial, type Transport } from "./transport.js";

export type { RunCaller, RunInput } from "./run-caller.js";
export type { SubItem, SubscribeOptions } from "./subscription.js";

/** What a client tells the owner about itself. */
export interface ClientOptions {
  /** `cli`, `workspace`, `worker`, `inline`. */
  readonly kind: string;
  readonly version: string;
  /** A board worker's right; the client may then call only the methods made for workers. */
  readonly claim?: WireClaim;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

export interface CallOptions {
  /** Makes a changing call happen once, however often it is sent. A lasting client sends it again by itself after a lost connection. */
  readonly key?: string;
  /** Give up waiting. The owner may do it anyway. */
  readonly signal?: AbortSignal;
  /** The call changes nothing, so that a lasting client may send it again by itself. */
  readonly repeat?: boolean;
}

/** A client of an owner: of this process, on the local socket, or over a connection that is made again when it is lost. */
export interface Client {
  /** The owner, as it was when it was last met. */
  readonly owner: Welcome;
  /** A connection works at this moment. */
  readonly connected: boolean;
  /**
   * Call a method. The caller knows what it returns.
   *
   * @throws the owner's error; E_OWNER_LOST when the connection was lost first (`data.outcome: "unknown"`: it may or may not be done)
   */
  call<T = unknown>(method: string, params?: object, options?: CallOptions): Promise<T>;
  /**
   * Run a command line in the owner.
   *
   * @returns its exit code
   * @throws E_OWNER_LOST with `data.outcome`: "not begun" (another owner may be asked) or "unknown"
   */
  run(input: RunInput, caller: RunCaller): Promise<number>;
  /** Durable events of a store. A lasting client goes on after a lost connection; another one throws E_OWNER_LOST. */
  subscribe(store: string, options: SubscribeOptions): AsyncIterable<SubItem>;
  /** Follow deltas of topics. Resolves when the owner knows; the result ends it. */
  topics(topics: readonly string[], listener: (delta: WireDelta) => void): Promise<() => void>;
  /** Events for every client, such as `owner.leaving`. */
  onEvent(listener: (event: WireEvent) => void): () => void;
  /** A connection was lost; of a lasting client perhaps not the last. */
  onClose(listener: () => void): () => void;
  /** A lasting client has met an owner again; state that is not followed by cursor must be read afresh. */
  onConnect(listener: () => void): () => void;
  /**
   * Say `hello` to every owner that is met from now on, before any other call goes to it: a call that was lost is sent again only behind it.
   * What it throws is nothing to the other calls. The result ends it.
   */
  greet(hello: (call: Client["call"]) => Promise<unknown>): () => void;
  close(): void;
}

/** A connected link, and who is at its other end. */
export interface MetOwner {
  readonly link: Link;
  readonly owner: Welcome;
}

/** Milliseconds after which an owner that accepts but does not answer is named. */
export const SILENT_MS = 3_000;

/**
 * Connect to the owner of `home`.
 *
 * @returns undefined when none listens, or the one that does is leaving
 * @throws E_OWNER when it does not answer for 3 s (the message names its pid), or speaks another protocol
 */
export async function connect(home: Home, options: ClientOptions): Promise<Client | undefined> {
  const met = await meetOwner(home, options);
  return met && clientOver(met);
}

/** The owner was lost, or refused because it leaves, before it had started anything: it is safe to ask another one. */
export function wasNotBegun(error: unknown): boolean {
  const { code, data } = toAppError(error);
  return code === "E_OWNER_LOST" && (data["leaving"] === true || data["outcome"] === "not begun");
}

/** A client over a transport that is connected already. */
export async function connectOver(transport: Transport, options: ClientOptions): Promise<Client> {
  return clientOver(await meetOver(transport, options));
}

/** A link over a transport that is connected already, and who is at its other end. @internal shared with `local.ts` and `lasting.ts` */
export async function meetOver(transport: Transport, options: ClientOptions): Promise<MetOwner> {
  const link = createLink(transport);
  const owner = await greet(
    link,
    options,
    () => new AppError("E_OWNER", `the owner has not responded for ${SILENT_MS / 1000} s`),
  );
  return { link, owner };
}

/** A connected link, and who is at its other end; undefined where `connect` gives none. @internal shared with `elect.ts` and `lasting.ts` */
export async function meetOwner(home: Home, options: ClientOptions): Promise<MetOwner | undefined> {
  const transport = await dial(home.socket);
  if (!transport) return undefined;
  const link = createLink(transport);
  try {
    return { link, owner: await greet(link, options, () => silent(home)) };
  } catch (error) {
    if (toAppError(error).code === "E_OWNER_LOST") return undefined; // it ended, or is leaving: it cannot take a new client
    throw error;
  }
}

/** What to say of an owner that accepts and is silent. */
export function silent(home: Home): AppError {
  const pid = readOwner(home.lock)?.pid;
  const who = pid === undefined ? "the owner" : `the owner (pid ${pid})`;
  return new AppError("E_OWNER", `${who} of ${home.dir} has not responded for ${SILENT_MS / 1000} s`, {
    ...(pid === undefined ? {} : { pid }),
    hint: pid === undefined ? "kill it, then retry" : `if it hangs, kill process ${pid}; confirmed work is not lost`,
  });
}

async function greet(link: Link, options: ClientOptions, onSilence: () => AppError): Promise<Welcome> {
  const hello: Partial<Hello> = {
    protocol: 1,
    kind: options.kind,
    version: options.version,
    pid: process.pid,
    ...(options.claim ? { claim: options.claim } : {}),
  };
  const late = new AbortController();
  const cancel = afterWaiting(options.clock ?? systemClock, SILENT_MS, () => late.abort(onSilence()));
  const either = linkSignals(late.signal, ...(options.signal === undefined ? [] : [options.signal]));
  try {
    return (await link.request("hello", hello, { signal: either.signal })) as Welcome; // the owner answers `hello` with a Welcome of this protocol, or an error
  } catch (error) {
    link.close();
    throw error;
  } finally {
    cancel();
    either.dispose();
  }
}

/** @internal shared with `elect.ts` */
export function clientOver({ link, owner }: MetOwner): Client {
  const source: LinkSource = {
    lasting: false,
    link: async () => {
      if (!link.open) throw new AppError("E_OWNER_LOST", "the owner has exited");
      return link;
    },
  };
  return {
    owner,
    get connected() {
      return link.open;
    },
    call: <T>(method: string, params: object = {}, options: CallOptions = {}) =>
      link.request(method, params, options) as Promise<T>, // the caller names the type
    run: (input, caller) => runOver(link, input, caller),
    subscribe: (store, options) => subscribeOver(source, store, options),
    topics: (topics, listener) => followTopics(link, topics, listener),
    onEvent: (listener) => link.onEvent(listener),
    onClose: (listener) => link.onClose(listener),
    onConnect: () => () => undefined,
    greet: () => () => undefined,
    close: () => link.close(),
  };
}

/** Follow topics on one link. Topics stay followed until the link ends: another listener may want them as well. @internal shared with `lasting.ts` */
export async function followTopics(
  link: Link,
  topics: readonly string[],
  listener: (delta: WireDelta) => void,
): Promise<() => void> {
  const wanted = new Set(topics);
  const forget = link.onDelta((delta) => {
    if (wanted.has(delta.topic)) listener(delta);
  });
  try {
    await link.request("topics.follow", { topics });
  } catch (error) {
    forget();
    throw toAppError(error);
  }
  return forget;
}
