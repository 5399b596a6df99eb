import { Worker } from "node:worker_threads";
import type { Clock } from "../time/clock.js";
import type { Ms } from "../units.js";

/** Where a pattern matches in one text: line and column in turn, both from 0. Undefined: it took too long. */
export type Matches = readonly number[] | undefined;

/** Matches a pattern in a thread of its own, so that one that backtracks without end does not block others and can be stopped. */
export interface Matcher {
  /** @throws the signal's reason when it aborts */
  find(texts: readonly string[], signal: AbortSignal): Promise<readonly Matches[]>;
  /** Ends the thread. Harmless twice. */
  close(): Promise<void>;
}

export interface MatcherOptions {
  readonly source: string;
  readonly flags: string;
  readonly clock: Clock;
  /** How long one text may take. */
  readonly within: Ms;
}

/** How often the thread is looked at. */
const LOOK_MS: Ms = 100;

/** Its place in the list is passed through shared memory, because a busy thread does not send messages. */
const THREAD = `
const { parentPort, workerData } = require("node:worker_threads");
const { source, flags, place } = workerData;
const pattern = new RegExp(source, flags);
parentPort.on("message", (texts) => {
  const found = texts.map((text, index) => {
    Atomics.store(place, 0, index);
    const matches = [];
    let line = 0;
    for (const one of text.split("\\n")) {
      const match = pattern.exec(one);
      if (match !== null) matches.push(line, match.index);
      line += 1;
    }
    return matches;
  });
  parentPort.postMessage(found);
});
`;

interface Thread {
  readonly worker: Worker;
  readonly place: Int32Array;
}

/** The thread has not come to the first text: what a busy machine takes to start it says nothing about the pattern. */
const NOT_BEGUN = -1;

export function createMatcher({ source, flags, clock, within }: MatcherOptions): Matcher {
  let thread: Thread | undefined;
  const start = (): Thread => {
    const place = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(THREAD, { eval: true, workerData: { source, flags, place }, stdin: false, env: {} });
    return { worker, place };
  };
  const close = async () => {
    const old = thread;
    thread = undefined;
    await old?.worker.terminate();
  };
  const find = async (texts: readonly string[], signal: AbortSignal): Promise<readonly Matches[]> => {
    if (texts.length === 0) return [];
    thread ??= start();
    const answer = await ask(thread, texts, { clock, within, signal });
    if (typeof answer !== "number") return answer;
    await close();
    const before = await find(texts.slice(0, answer), signal);
    return [...before, undefined, ...(await find(texts.slice(answer + 1), signal))];
  };
  return { find, close };
}

interface Waiting {
  readonly clock: Clock;
  readonly within: Ms;
  readonly signal: AbortSignal;
}

/** The matches, or the number of the text that takes too long. */
function ask(
  { worker, place }: Thread,
  texts: readonly string[],
  { clock, within, signal }: Waiting,
): Promise<readonly Matches[] | number> {
  return new Promise((resolve, reject) => {
    let at = NOT_BEGUN;
    let since = clock.mono();
    let cancel: () => void = () => undefined;
    const done = (): void => {
      cancel();
      signal.removeEventListener("abort", onAbort);
      worker.off("message", onMessage);
      worker.off("error", onError);
    };
    const onMessage = (found: readonly Matches[]): void => {
      done();
      resolve(found);
    };
    const onError = (error: Error): void => {
      done();
      reject(error);
    };
    const onAbort = (): void => onError(signal.reason instanceof Error ? signal.reason : new Error("interrupted"));
    const look = (): void => {
      const now = Atomics.load(place, 0);
      if (now !== at || now === NOT_BEGUN) {
        at = now;
        since = clock.mono();
      } else if (clock.mono() - since >= within) {
        done();
        resolve(at);
        return;
      }
      cancel = clock.after(LOOK_MS, look);
    };
    worker.on("message", onMessage);
    worker.on("error", onError);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) return onAbort();
    Atomics.store(place, 0, NOT_BEGUN);
    worker.postMessage(texts);
    look();
  });
}
