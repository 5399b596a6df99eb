import { allowManyListeners } from "../base/async/aborted.js";
import { AppError, toAppError } from "../base/errors.js";
import type { Home } from "../base/home.js";
import type { Clock } from "../base/time/clock.js";
import { systemClock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";
import type { Welcome, WireDelta, WireEvent } from "../contracts/wire/wire.js";
import { type CallOptions, type Client, type ClientOptions, followTopics, type MetOwner, meetOwner } from "./client.js";
import type { Link } from "./link.js";
import { runOver } from "./run-caller.js";
import { type LinkSource, subscribeOver } from "./subscription.js";

/** First and longest wait between two tries to reach an owner; each wait is twice the last. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5_000;

interface Topic {
  readonly topics: readonly string[];
  readonly listener: (delta: WireDelta) => void;
}

interface Own {
  readonly home: Home;
  readonly options: ReconnectingOptions;
  readonly clock: Clock;
  readonly control: AbortController;
  readonly topics: Set<Topic>;
  readonly events: Set<(event: WireEvent) => void>;
  readonly closers: Set<() => void>;
  readonly connectors: Set<() => void>;
  readonly greetings: Set<(call: Client["call"]) => Promise<unknown>>;
  /** Woken when there is a link, or will be none. */
  readonly waiting: Set<() => void>;
  link: Link | undefined;
  owner: Welcome;
  failure: AppError | undefined;
}

/** How a lasting client is made. */
export interface ReconnectingOptions extends ClientOptions {
  /** Waits between two tries; the last one stays. Without them 0.1 s, then twice the last one, at most 5 s. */
  readonly waits?: readonly Ms[];
  /** Where the owner is looked for first: in this process, or at the end of a link that is there. Undefined: not there, or no longer. Its errors end the client. */
  readonly near?: () => Promise<MetOwner | undefined>;
}

/**
 * A client that finds the owner of `home` again when it is lost, and its successor: after 0.1 s, then after twice the last wait, at most 5 s.
 * It connects by itself; calls wait until there is an owner, so give them a signal. Calls with a key and calls marked `repeat` are sent
 * again when the connection was lost before their answer; others get E_OWNER_LOST.
 */
export function createReconnectingClient(home: Home, options: ReconnectingOptions): Client {
  const own: Own = {
    home,
    options,
    clock: options.clock ?? systemClock,
    control: new AbortController(),
    topics: new Set(),
    events: new Set(),
    closers: new Set(),
    connectors: new Set(),
    greetings: new Set(),
    waiting: new Set(),
    link: undefined,
    owner: { ...NOBODY, home: home.dir },
    failure: undefined,
  };
  allowManyListeners(own.control.signal); // of each call that waits for the next owner
  const stop = () => end(own, new AppError("E_OWNER_LOST", "this client is closed"));
  options.signal?.addEventListener("abort", stop, { once: true });
  // The signal may outlive many clients.
  own.control.signal.addEventListener("abort", () => options.signal?.removeEventListener("abort", stop), {
    once: true,
  });
  keep(own).catch((error: unknown) => end(own, toAppError(error)));
  if (options.signal?.aborted) stop();
  return clientOf(own, stop);
}

const NOBODY: Welcome = { protocol: 0, version: "", pid: 0, home: "" };

function clientOf(own: Own, stop: () => void): Client {
  const source: LinkSource = { lasting: true, link: (signal) => linkOf(own, signal) };
  return {
    get owner() {
      return own.owner;
    },
    get connected() {
      return own.link?.open === true;
    },
    call: <T>(method: string, params: object = {}, options: CallOptions = {}) =>
      call(own, { method, params }, options) as Promise<T>, // the caller names the type
    run: async (input, caller) => await runOver(await linkOf(own), input, caller),
    subscribe: (store, options) => subscribeOver(source, store, options),
    topics: (topics, listener) => addTopics(own, { topics, listener }),
    onEvent: (listener) => listen(own.events, listener),
    onClose: (listener) => listen(own.closers, listener),
    onConnect: (listener) => listen(own.connectors, listener),
    greet: (hello) => listen(own.greetings, hello),
    close: stop,
  };
}

/** Nothing else is sent meanwhile. A greeting that fails is the business of its sender. */
async function greeted(own: Own, link: Link): Promise<void> {
  const call = <T>(method: string, params: object = {}, options: CallOptions = {}) =>
    link.request(method, params, options) as Promise<T>; // the caller names the type
  await Promise.allSettled([...own.greetings].map((hello) => hello(call)));
}

function listen<T>(set: Set<T>, listener: T): () => void {
  set.add(listener);
  return () => {
    set.delete(listener);
  };
}

/** Connect, wait for the loss, wait a little, again; until closed. */
async function keep(own: Own): Promise<void> {
  const { signal } = own.control;
  let tries = 0;
  while (!signal.aborted) {
    const met = await tryMeet(own);
    if (signal.aborted) {
      met?.link.close();
      return;
    }
    if (met) {
      tries = 0;
      await serve(own, met.link, met.owner);
    } else {
      await pause(own.clock, waitOf(own.options.waits, tries), signal);
      tries += 1;
    }
  }
}

const waitOf = (waits: readonly Ms[] | undefined, tries: number): Ms =>
  waits?.[Math.min(tries, waits.length - 1)] ?? Math.min(FIRST_WAIT_MS * 2 ** tries, LONGEST_WAIT_MS);

/** The owner, or undefined when none runs or it cannot be used now. What will not change by waiting is thrown. */
async function tryMeet(own: Own): Promise<MetOwner | undefined> {
  const near = await own.options.near?.();
  if (near !== undefined) return near;
  try {
    return await meetOwner(own.home, { ...own.options, clock: own.clock, signal: own.control.signal });
  } catch (error) {
    const { code } = toAppError(error);
    if (own.control.signal.aborted || code === "E_OWNER" || code === "E_BUSY") return undefined;
    throw error;
  }
}

async function serve(own: Own, link: Link, owner: Welcome): Promise<void> {
  own.owner = owner;
  link.onEvent((event) => {
    for (const listener of [...own.events]) listener(event);
  });
  const lost = new Promise<void>((resolve) => link.onClose(resolve));
  const stop = () => link.close();
  own.control.signal.addEventListener("abort", stop, { once: true });
  await greeted(own, link);
  own.link = link;
  try {
    await Promise.all(
      [...own.topics].map((topic) => followTopics(link, topic.topics, told(own, topic)).catch(() => undefined)),
    ); // a lost link is noticed below
    for (const wake of [...own.waiting]) wake();
    for (const listener of [...own.connectors]) listener();
    await lost;
  } finally {
    own.link = undefined;
    own.control.signal.removeEventListener("abort", stop);
  }
  for (const listener of [...own.closers]) listener();
}

/** Deltas for `topic` as long as it is wanted. */
function told(own: Own, topic: Topic): (delta: WireDelta) => void {
  return (delta) => {
    if (own.topics.has(topic)) topic.listener(delta);
  };
}

async function addTopics(own: Own, topic: Topic): Promise<() => void> {
  own.topics.add(topic);
  const link = own.link;
  if (link?.open) await followTopics(link, topic.topics, told(own, topic)).catch(() => undefined); // when the link is lost, the next one follows them
  return () => {
    own.topics.delete(topic);
  };
}

async function call(own: Own, request: { method: string; params: object }, options: CallOptions): Promise<unknown> {
  allowManyListeners(options.signal);
  let again = false;
  for (;;) {
    const link = await linkOf(own, options.signal);
    try {
      return await link.request(request.method, request.params, again ? { ...options, again } : options);
    } catch (error) {
      if (!mayRepeat(error, options) || options.signal?.aborted || own.control.signal.aborted) throw error;
      again ||= toAppError(error).data["outcome"] === "unknown";
      if (link.open) await pause(own.clock, FIRST_WAIT_MS, own.control.signal); // it is leaving: its successor is not there yet
    }
  }
}

/** The connection was lost: the call was not begun, or beginning it again is the same as once. */
function mayRepeat(error: unknown, options: CallOptions): boolean {
  const app = toAppError(error);
  if (app.code !== "E_OWNER_LOST") return false;
  return app.data["outcome"] !== "unknown" || options.key !== undefined || options.repeat === true;
}

async function linkOf(own: Own, signal?: AbortSignal): Promise<Link> {
  for (;;) {
    if (signal?.aborted) throw signal.reason;
    if (own.failure) throw own.failure;
    if (own.link?.open) return own.link;
    await new Promise<void>((resolve) => {
      const done = () => {
        own.waiting.delete(done);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      own.waiting.add(done);
      signal?.addEventListener("abort", done, { once: true });
    });
  }
}

function end(own: Own, why: AppError): void {
  own.failure ??= why;
  own.control.abort(why);
  own.link?.close();
  for (const wake of [...own.waiting]) wake();
}

async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    if (!signal.aborted) throw error; // the end of the client ends the wait as well
  }
}
