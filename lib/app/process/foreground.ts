import type { Ownership } from "../../backplane/elect.js";
import type { Backplane } from "../../backplane/server.js";
import { aborted } from "../../base/async/aborted.js";
import { toAppError, toWireError } from "../../base/errors.js";
import { failPoint } from "../../base/fault.js";
import type { Home } from "../../base/home.js";
import type { CallerIo } from "../../cli/terminal-caller.js";
import { SAFE_MODE_VARIABLE } from "../../contracts/config/safe-mode.js";
import type { GatewayEnd } from "../../contracts/gateway/life.js";
import { exitOfStart, forgetStartFailure, recordStartFailure } from "../gateway/start-failure.js";
import { createHost, type Host, type HostOptions, stopHost } from "../owner-process.js";
import { type Again, startAgain } from "./start-again.js";
import { watchSettings } from "./watch-settings.js";

/** An owner without a screen that stays: `agent --headless` and `agent gateway run`. */
export interface Foreground extends Pick<HostOptions, "gateway" | "askHooks" | "globals" | "version"> {
  readonly home: Home;
  readonly caller: CallerIo;
  /** Said once it works; undefined: nothing is said. */
  readonly greeting: string | undefined;
  /** Each line of the log is shown as well. */
  readonly shows: boolean;
  /** How it comes back when a restart is asked for. */
  readonly again: Again;
}

/** Why the process ends, and with which signal where it was one. */
interface Cause {
  readonly end: GatewayEnd;
  readonly signal?: "SIGINT" | "SIGTERM";
}

/**
 * Become the owner and stay it until a signal, a planned stop or a restart.
 *
 * @returns exit code (gateway part, 3.5)
 * @throws what `own` throws, and what goes wrong at the start
 */
export async function stayInForeground(own: () => Promise<Ownership>, work: Foreground): Promise<number> {
  const { caller } = work;
  try {
    const cause = await untilEnd(await own(), work);
    if (cause?.signal === "SIGTERM") return 1;
    return cause?.end.why === "restart" ? await startAgain(work.home, successorEnv(work), work.again) : 0;
  } catch (error) {
    const known = toAppError(error);
    const { code, message, hint } = known;
    if (code !== "E_STORE" && code !== "E_STORE_FULL" && code !== "E_HOME") throw error;
    if (work.globals["json"] === true)
      await caller.out(`${JSON.stringify({ type: "error", error: toWireError(known) })}\n`);
    else await caller.err(`agent: failed to start the owner: ${message}\nagent: ${hint}\n`);
    return exitOfStart(known);
  }
}

/** A successor begins with the same variables, and with those that options of the line stand for. */
function successorEnv({ caller, globals }: Foreground): Readonly<Record<string, string>> {
  return globals["safe_mode"] === true ? { ...caller.env, [SAFE_MODE_VARIABLE]: "1" } : caller.env;
}

async function untilEnd(met: Ownership, work: Foreground): Promise<Cause | undefined> {
  const { caller, home, version, globals, greeting, shows, gateway, askHooks } = work;
  const ending = new AbortController();
  let cause: Cause | undefined;
  const end = (one: Cause) => {
    cause ??= one;
    ending.abort();
  };
  const role = { ...(gateway === true ? { gateway } : {}), askHooks };
  const onStop = (asked?: GatewayEnd) => end({ end: asked ?? { why: "signal" } });
  const host = await createHost({ ...role, home, kind: "long", version, env: caller.env, globals, onStop });
  const unhook = hookSignals(caller, host, end);
  const untold = shows ? tellLines(host, caller) : () => undefined;
  try {
    const unwatch = await startOrUndo(host, met);
    try {
      if (greeting !== undefined) await greet(host, caller, greeting);
      await aborted(ending.signal);
      unwatch();
      await (await host.app.messaging()).host.stop(cause?.end);
    } finally {
      await stopHost(host, met, "stopped");
    }
  } finally {
    untold();
    unhook();
  }
  const workers = (await host.app.boards.peek())?.dispatcher.running() ?? 0;
  if (workers > 0 && greeting !== undefined)
    await caller.err(`agent: ${workers} worker(s) continue; the next owner adopts them\n`);
  return cause;
}

/**
 * Start an owner, or leave the home as it was: a start that fails makes no checkpoint of what it had opened, and gives the lock back when nothing of it
 * can write any more.
 *
 * @param onOpen clients are served
 * @returns what stops the watching of settings
 * @throws why it could not start
 */
export async function startOrUndo(
  host: Host,
  ownership: Ownership,
  onOpen?: (door: Backplane) => void,
): Promise<() => void> {
  const { home, clock, log } = host.app.options;
  try {
    return await startHost(host, onOpen);
  } catch (error) {
    recordStartFailure(home, error, clock.now());
    await stopHost(host, ownership, "failed to start the owner", "untouched").catch((failure: unknown) => {
      // The lock is still held then, and goes with the process.
      log.error("failed to clean up after a failed start", { error: toAppError(failure).message });
    });
    throw error;
  }
}

/** Verify the stores, open the door, then start what works by itself, unless the process is there for a listener. */
async function startHost(host: Host, onOpen: ((door: Backplane) => void) | undefined): Promise<() => void> {
  const { home, listens, log, version } = host.app.options;
  if (listens !== true) await host.app.stores.verify(); // before clients can write
  failPoint("start.verified");
  const door = await host.door();
  failPoint("start.opened");
  onOpen?.(door);
  if (listens !== true) await host.app.start();
  forgetStartFailure(home);
  log.info("owner started", { pid: process.pid, version });
  return watchSettings(host);
}

async function greet(host: Host, caller: CallerIo, greeting: string): Promise<void> {
  await caller.err(`agent: ${greeting}, pid ${process.pid}; Ctrl+C stops it\n`);
  for (const problem of [...host.config.problems(), ...host.config.warnings(), ...host.app.stores.problems()])
    await caller.err(`agent: ${problem}\n`);
}

/** The first signal drains, the second ends the drain, a third one everything; a closed terminal changes nothing. */
function hookSignals(caller: CallerIo, { app }: Host, end: (cause: Cause) => void): () => void {
  let heard = 0;
  const hurry = async () => (await app.messaging.peek())?.host.hurry();
  const untaken = caller.takeSignals((name) => {
    if (name === "SIGHUP") return;
    heard += 1;
    if (heard > 2) process.exit(1);
    if (heard > 1) hurry().catch(() => undefined); // nothing is there that could wait
    end({ end: { why: "signal" }, signal: name });
  });
  const unheard = caller.onRestart(() => end({ end: { why: "restart" } }));
  return () => {
    untaken();
    unheard();
  };
}

function tellLines({ app }: Host, caller: CallerIo): () => void {
  return app.options.lines.listen((text) => {
    caller.err(`${text}\n`).catch(() => undefined); // it has no reader
  });
}
