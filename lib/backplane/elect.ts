import { hostname } from "node:os";
import { type Lock, readOwner, tryLock } from "../../storage/lock.js";
import { AppError, toAppError } from "../base/errors.js";
import type { Home } from "../base/home.js";
import { findProcess, readBootId } from "../base/process/process.js";
import { systemClock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";
import { type Client, type ClientOptions, clientOver, type MetOwner, meetOwner, wasNotBegun } from "./client.js";

/** The lock is ours; no other process writes until `release`. */
export interface Ownership {
  readonly role: "owner";
  readonly lock: Lock;
  /** Give ownership up, after everything is closed. Harmless twice. */
  release(): Promise<void>;
}

export interface OwnerConnection {
  readonly role: "client";
  readonly client: Client;
  /** What the client talks over: the next follower of the owner takes it over, and the client is used no longer. */
  readonly met: MetOwner;
}

export interface ElectOptions extends Omit<ClientOptions, "signal"> {
  /** How long to wait for one and the same holder. Default 10 s. */
  readonly deadline?: Ms;
  readonly signal?: AbortSignal;
  /** Numbers in [0, 1) for the jitter. */
  readonly chance?: () => number;
}

const DEADLINE_MS = 10_000;
/** Many commands own for their length, one after the other. A waiter behind them all tries this many times as long. */
const HOLDERS = 6;
/** Waits between tries: from the first to the last, each with up to half of it added by chance, so that many do not try in step. */
const FIRST_WAIT_MS = 10;
const LAST_WAIT_MS = 250;

/**
 * Become the owner of `home`, or a client of the one it has. Tries socket, lock and socket again until the deadline: a process that holds
 * the lock without listening is starting or ending. Where one holder follows the other, each has the whole time.
 *
 * @throws E_OWNER naming the pid of the holder when it neither answers nor ends
 */
export async function ownOrConnect(home: Home, options: ElectOptions): Promise<Ownership | OwnerConnection> {
  const clock = options.clock ?? systemClock;
  const chance = options.chance ?? Math.random;
  const deadline = options.deadline ?? DEADLINE_MS;
  let left = deadline;
  let leftOfAll = HOLDERS * deadline;
  let holder = readOwner(home.lock)?.pid;
  let wait = FIRST_WAIT_MS;
  for (;;) {
    const met = await tryMeet(home, options);
    if (met) return { role: "client", client: clientOver(met), met };
    const lock = await tryLock(home.lock);
    if (lock) return ownership(lock, home, options.version);
    const now = readOwner(home.lock)?.pid;
    if (now !== holder) left = deadline;
    holder = now;
    if (Math.min(left, leftOfAll) <= 0) throw held(home);
    const before = clock.mono();
    await clock.sleep(wait * (1 + chance() / 2), options.signal);
    // A machine that stands still stops the holder as well: what a sleep lasts beyond this is not held against it.
    const waited = Math.min(clock.mono() - before, 2 * LAST_WAIT_MS);
    left -= waited;
    leftOfAll -= waited;
    wait = Math.min(wait * 2, LAST_WAIT_MS);
  }
}

/**
 * Become the owner of `home`, or have `work` done by the one it has. An owner that leaves before it has begun is not the end: the next one
 * is asked, or this process becomes it.
 *
 * @throws what `work` throws, except that nothing was begun; and what `ownOrConnect` throws
 */
export async function ownOr<T>(
  home: Home,
  options: ElectOptions,
  work: (client: Client) => Promise<T>,
): Promise<Ownership | { readonly role: "done"; readonly result: T }> {
  for (;;) {
    const met = await ownOrConnect(home, options);
    if (met.role === "owner") return met;
    try {
      return { role: "done", result: await work(met.client) };
    } catch (error) {
      if (!wasNotBegun(error)) throw error;
    } finally {
      met.client.close();
    }
  }
}

/** A link, or undefined without an owner, or with one that is leaving or full. */
async function tryMeet(home: Home, options: ElectOptions): Promise<MetOwner | undefined> {
  try {
    return await meetOwner(home, options);
  } catch (error) {
    if (toAppError(error).code === "E_BUSY") return undefined;
    throw error;
  }
}

function ownership(lock: Lock, home: Home, version: string): Ownership {
  const start = findProcess(process.pid)?.start ?? "";
  lock.describe({ pid: process.pid, start, boot: readBootId(), host: hostname(), version, socket: home.socket });
  return {
    role: "owner",
    lock,
    release: async () => lock.release(),
  };
}

function held(home: Home): AppError {
  const holder = readOwner(home.lock);
  const who = holder ? `process ${holder.pid}${holder.host === "" ? "" : ` on ${holder.host}`}` : "another process";
  return new AppError("E_OWNER", `${who} owns ${home.dir} but is not listening`, {
    ...(holder ? { pid: holder.pid, version: holder.version } : {}),
    hint: holder ? `wait for it, or kill process ${holder.pid}` : "wait for it, then retry",
  });
}
