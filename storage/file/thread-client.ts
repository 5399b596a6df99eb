import { Worker } from "node:worker_threads";
import { type AppError, fromWireError, type WireError } from "../../lib/base/errors.js";
import { distFile } from "../../lib/base/fs/dist.js";
import type { Log } from "../../lib/base/log/log.js";
import type { Clock } from "../../lib/base/time/clock.js";
import { refused, unknownOutcome } from "../errors.js";
import type { Closing, StoreSpec } from "../store.js";
import type { AnswerOf, Connection, Op } from "./ops.js";

/** What the thread is started with. Functions of migrations stay behind: the host runs them. */
export interface ThreadSetup {
  readonly spec: StoreSpec;
  readonly memory: boolean;
  readonly readonly: boolean;
  readonly marked: boolean;
  readonly cacheMb: number;
}

export interface Request {
  readonly id: number;
  readonly op: Op;
}

export interface Reply {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: WireError;
}

interface Pending {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: AppError) => void;
}

/** Deaths within this time after which the store stays closed (storage page, 9). */
const DEATHS = 3;
const DEATH_WINDOW_MS = 10 * 60_000;

/** An engine in a thread of its own. Messages of one turn of the event loop travel together, in each direction. */
export function threadConnection(setup: ThreadSetup, deps: { clock: Clock; log: Log }): Connection {
  const pending = new Map<number, Pending>();
  const deaths: number[] = [];
  let outgoing: Request[] = [];
  let worker: Worker | undefined;
  /** Died, and may not have exited yet. */
  let dead: Worker | undefined;
  let ended: Promise<void> | undefined;
  let last = 0;

  const died = (cause: unknown): void => {
    if (!worker) return;
    dead = worker;
    worker = undefined;
    deaths.push(deps.clock.mono());
    const error = unknownOutcome(setup.spec.name, "its thread has died", cause);
    deps.log.error("store thread died", { store: setup.spec.name, pending: pending.size });
    outgoing = [];
    for (const { reject } of pending.values()) reject(error);
    pending.clear();
  };

  const started = (): Worker => {
    if (worker) return worker;
    const recent = deaths.filter((at) => deps.clock.mono() - at < DEATH_WINDOW_MS);
    if (recent.length >= DEATHS)
      throw refused("closed", `the store ${setup.spec.name} stays closed: its thread died ${recent.length} times`);
    const fresh = new Worker(distFile("text-thread.cjs"), {
      workerData: { ...setup, spec: withoutFunctions(setup.spec) },
      env: {},
      stdout: false,
      stderr: false,
    });
    hearReplies(fresh, pending);
    fresh.on("error", (error) => fresh === worker && died(error));
    fresh.on("exit", (code) => fresh === worker && died(new Error(`exit ${code}`)));
    worker = fresh;
    return fresh;
  };

  const flush = (): void => {
    const batch = outgoing;
    outgoing = [];
    if (batch.length > 0) worker?.postMessage(batch);
  };

  const send = <O extends Op>(op: O): Promise<AnswerOf<O>> =>
    new Promise((resolve, reject) => {
      started().ref();
      last += 1;
      // The thread answers each operation with the type that `execute` has for it.
      pending.set(last, { resolve: (value) => resolve(value as AnswerOf<O>), reject });
      outgoing.push({ id: last, op });
      if (outgoing.length === 1) process.nextTick(flush); // once the microtasks have said all that they have to say
    });

  const end = async (how: Closing): Promise<void> => {
    await dead?.terminate();
    if (!worker) return;
    const leaving = worker;
    try {
      await send({ op: "close", how });
    } finally {
      worker = undefined;
      await leaving.terminate();
    }
  };
  return { send, end: (how) => (ended ??= end(how)) };
}

/** A forgotten store does not keep the process; work under way does. */
function hearReplies(worker: Worker, pending: Map<number, Pending>): void {
  worker.on("message", (replies: readonly Reply[]) => {
    for (const reply of replies) answer(pending, reply);
    if (pending.size === 0) worker.unref();
  });
  worker.unref();
}

const withoutFunctions = (spec: StoreSpec): StoreSpec => ({
  ...spec,
  migrations: spec.migrations.map(({ to, statements }) => ({ to, statements })),
});

function answer(pending: Map<number, Pending>, reply: Reply): void {
  const waiting = pending.get(reply.id);
  pending.delete(reply.id);
  if (reply.error) waiting?.reject(fromWireError(reply.error));
  else waiting?.resolve(reply.value);
}
