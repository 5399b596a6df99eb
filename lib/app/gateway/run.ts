import { aborted } from "../../base/aborted.js";
import { toAppError } from "../../base/errors.js";
import type { GatewayRunOptions } from "../../proto/gateway-control.js";
import type { GatewayEnd } from "../../proto/gateway-life.js";
import type { CallerIo } from "../caller.js";
import type { CommandLine } from "../command-line.js";
import { startHost } from "../headless.js";
import { createHost, type Host, stopHost } from "../host.js";
import { startAgain } from "./control/again.js";
import type { AskHooks } from "./hooks/ask.js";
import { ownHome } from "./own-home.js";
import { createRecords } from "./records.js";

/** The home cannot be opened: no supervisor is to start it again. */
const CANNOT_START = 78;

/** Why the process ends, and with which signal where it was one. */
interface Cause {
  readonly end: GatewayEnd;
  readonly signal?: "SIGINT" | "SIGTERM";
}

/**
 * `agent gateway run`: own the home until a signal, a planned stop or a restart.
 *
 * @returns exit code (gateway part, 3.5)
 * @throws E_OWNER_RUNNING naming the process when there is an owner that stays
 */
export async function runGateway(line: CommandLine, options: GatewayRunOptions): Promise<number> {
  const { home, version, caller, globals } = line;
  try {
    const met = await ownHome(line, options);
    const ending = new AbortController();
    let cause: Cause | undefined;
    const end = (one: Cause) => {
      cause ??= one;
      ending.abort();
    };
    const host = await createHost({
      ...{ home, kind: "long", version, env: caller.env, gateway: true },
      globals: options.verbose > 1 ? { ...globals, log_level: "debug" } : globals,
      askHooks: askingOf(caller, options),
      onStop: (asked) => end({ end: asked ?? { why: "signal" } }),
    });
    const unhook = hookSignals(caller, host, end);
    const untold = tellLines(host, caller, options);
    try {
      const unwatch = await startHost(host);
      await greet(host, caller, options);
      await aborted(ending.signal);
      unwatch();
      await (await host.app.messaging()).host.stop(cause?.end);
    } catch (error) {
      await recordFailure(host, error);
      throw error;
    } finally {
      untold();
      await stopHost(host, met, "stopped");
      unhook();
    }
    return await exitOf(line, options, cause);
  } catch (error) {
    const { code, message, hint } = toAppError(error);
    if (code !== "E_STORE" && code !== "E_STORE_FULL") throw error;
    await caller.err(`agent: the gateway cannot start: ${message}\nagent: ${hint}\n`);
    return CANNOT_START;
  }
}

/** Whoever sits at the terminal is asked about hooks; where nobody does they do not run. */
function askingOf(caller: CallerIo, { acceptHooks, quiet }: GatewayRunOptions): AskHooks | undefined {
  if (acceptHooks) return async () => true;
  if (!caller.canAsk || quiet) return undefined;
  return async (hooks) => {
    for (const { id, handler, events } of hooks)
      await caller.err(`agent: hook ${id} is new or was changed: ${handler} on ${events.join(", ")}\n`);
    return /^y(es)?$/i.test((await caller.ask("Let them run? [y/N] ", false)).trim());
  };
}

async function greet(host: Host, caller: CallerIo, { quiet }: GatewayRunOptions): Promise<void> {
  if (quiet) return;
  await caller.err(`agent: gateway of ${host.app.options.home.dir}, pid ${process.pid}; Ctrl+C stops it\n`);
  for (const problem of host.config.problems()) await caller.err(`agent: ${problem}\n`);
}

/** The first signal drains, the second ends the drain; a closed terminal changes nothing. */
function hookSignals(caller: CallerIo, { app }: Host, end: (cause: Cause) => void): () => void {
  let ended = false;
  const hurry = async () => (await app.messaging.peek())?.host.hurry();
  const untaken = caller.takeSignals((name) => {
    if (name === "SIGHUP") return;
    if (ended) hurry().catch(() => undefined); // nothing is there that could wait
    ended = true;
    end({ end: { why: "signal" }, signal: name });
  });
  const unheard = caller.onRestart(() => end({ end: { why: "restart" } }));
  return () => {
    untaken();
    unheard();
  };
}

function tellLines({ app }: Host, caller: CallerIo, { verbose, quiet }: GatewayRunOptions): () => void {
  if (quiet || verbose === 0) return () => undefined;
  return app.options.lines.listen((text) => {
    caller.err(`${text}\n`).catch(() => undefined); // nobody reads it
  });
}

/** So that `gateway status` can say why none runs, where the store of states can be opened. */
async function recordFailure({ app }: Host, error: unknown): Promise<void> {
  const { message } = toAppError(error);
  try {
    await createRecords(await app.stores.state(), app.options.clock).note("startup_failed", message);
  } catch {
    /* ok to lose: this store is the one that is damaged, and the process says so itself */
  }
}

async function exitOf({ home, caller }: CommandLine, { noSupervise }: GatewayRunOptions, cause: Cause | undefined): Promise<number> {
  if (cause?.signal === "SIGTERM") return 1;
  return cause?.end.why === "restart" ? startAgain(home, caller.env, { args: ["gateway", "run"], alone: !noSupervise }) : 0;
}
