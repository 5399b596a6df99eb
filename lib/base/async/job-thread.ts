import { Worker } from "node:worker_threads";
import type { Clock } from "../time/clock.js";
import type { Ms } from "../units.js";

/** A thread that carries out one job after the other and may be ended at any moment. It starts with the first job. */
export interface JobThread {
  /** The answer of the thread; undefined: the job took too long, or the thread failed. The next job gets a new thread. */
  run(job: unknown): Promise<unknown>;
  /** Ends the thread. Harmless twice. */
  close(): Promise<void>;
}

export interface JobThreadOptions {
  /** A file that answers each message with one. */
  readonly file: string;
  readonly clock: Clock;
  /** How long a job may take, from when the thread takes it. */
  readonly withinMs: Ms;
  /** Milliseconds after which a thread without work ends. */
  readonly idleMs: Ms;
  /** Jobs that may fail one after the other; then none is taken for `restMs`. */
  readonly mostFailures: number;
  readonly restMs: Ms;
  /** Memory of the thread; a job that needs more ends it. Default: 128 MB. */
  readonly maxMegabytes?: number;
}

const MEGABYTES = 128;

/** It never keeps the process. */
export function createJobThread(options: JobThreadOptions): JobThread {
  const { clock } = options;
  let worker: Worker | undefined;
  let failures = 0;
  let failedAt = 0;
  let tail: Promise<unknown> = Promise.resolve();
  let cancelIdle: () => void = () => undefined;
  const close = async (): Promise<void> => {
    cancelIdle();
    const old = worker;
    worker = undefined;
    await old?.terminate();
  };
  const runNow = async (job: unknown): Promise<unknown> => {
    cancelIdle();
    if (failures >= options.mostFailures) {
      if (clock.mono() - failedAt < options.restMs) return undefined;
      failures = options.mostFailures - 1; // one try; if it fails, another rest
    }
    worker ??= startWorker(options);
    const answer = await ask(worker, job, options);
    if (answer === undefined) {
      failures += 1;
      failedAt = clock.mono();
      await close();
      return undefined;
    }
    failures = 0;
    cancelIdle = clock.after(options.idleMs, () => {
      close().catch(() => undefined); // a thread that is gone already
    });
    return answer.value;
  };
  return {
    run: (job) => {
      const mine = tail.then(() => runNow(job));
      tail = mine.catch(() => undefined); // who asked hears of it
      return mine;
    },
    close,
  };
}

function startWorker({ file, maxMegabytes = MEGABYTES }: JobThreadOptions): Worker {
  const worker = new Worker(file, {
    env: {},
    stdin: false,
    stdout: false,
    stderr: false,
    resourceLimits: { maxOldGenerationSizeMb: maxMegabytes },
  });
  worker.unref();
  worker.on("error", () => undefined); // between two jobs; during one `ask` hears it
  return worker;
}

function ask(
  worker: Worker,
  job: unknown,
  { clock, withinMs }: JobThreadOptions,
): Promise<{ readonly value: unknown } | undefined> {
  return new Promise((resolve) => {
    const cancel = clock.after(withinMs, () => end(undefined));
    const end = (answer: { readonly value: unknown } | undefined): void => {
      cancel();
      worker.off("message", onMessage);
      worker.off("error", onFailure);
      worker.off("exit", onFailure);
      resolve(answer);
    };
    const onMessage = (value: unknown): void => end({ value });
    const onFailure = (): void => end(undefined);
    worker.on("message", onMessage);
    worker.on("error", onFailure);
    worker.on("exit", onFailure);
    worker.postMessage(job);
  });
}
