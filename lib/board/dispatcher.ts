import { toAppError } from "../base/errors.js";
import { factsOf } from "../base/files.js";
import type { Ids } from "../base/ids.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import { createMailbox } from "../base/mailbox.js";
import { defineService, type Scope, type Service } from "../base/service.js";
import type { TestSignal } from "../base/signal.js";
import { type BoardSlug, type Ms, toUnix } from "../base/units.js";
import { within } from "../base/within.js";
import type { PassResult } from "../proto/board.js";
import type { BoardApi, PassOptions } from "../proto/board-api.js";
import type { Foresight } from "../proto/board-explain.js";
import type { Config } from "../proto/config.js";
import { adoptWorkers } from "./adopt.js";
import { createBell } from "./dispatcher-bell.js";
import { createDeadlines, type Deadlines } from "./dispatcher-deadlines.js";
import { mayDispatch, readSettings } from "./dispatcher-settings.js";
import { createStarter } from "./dispatcher-starts.js";
import { createForesight } from "./foresight.js";
import { createHealth } from "./health.js";
import type { BoardKernel } from "./kernel.js";
import { createReadyLoop } from "./pass.js";
import { countSettled, emptyResult } from "./pass-count.js";
import { previewBoards } from "./pass-preview.js";
import type { Program } from "./runner.js";
import type { StopDeps } from "./stop.js";
import { createSupervisor } from "./supervise.js";
import type { WorkerProfiles } from "./worker-profile.js";

export interface DispatcherDeps extends StopDeps {
  readonly kernel: BoardKernel;
  readonly api: Pick<BoardApi, "show" | "list">;
  readonly ids: Ids;
  readonly log: Log;
  readonly config: Config;
  readonly profiles: WorkerProfiles;
  /** Environment of the owner. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Home of all boards. */
  readonly root: string;
  /** `<host name>:<pid>` of this process, for display. */
  readonly lock: string;
  /** `node dist/runner.cjs`. */
  readonly runner: Program;
  /** `AGENT_BIN`, or `node dist/worker.cjs`. */
  readonly worker: Program;
  /** `daemon --force`: claims whatever the configuration says, with its own numbers. */
  readonly forced?: { readonly max?: number; readonly failureLimit?: number; readonly intervalMs?: Ms };
  readonly signals?: { readonly passed?: TestSignal<PassResult> };
}

/** Starts workers for ready tasks and watches them. A service of the long-lived owner; `pass` works without being started. */
export interface Dispatcher extends Service, Omit<Foresight, "state"> {
  /** One pass over all boards, with the starts that it makes (board part, 6.4). */
  pass(options: PassOptions): Promise<PassResult>;
  /** Something may be startable. Returns at once; several calls make one pass. */
  wake(): void;
  /** Workers that live. They go on when the dispatcher stops. */
  running(): number;
  /** It claims by itself. */
  dispatching(): boolean;
}

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const parts = assemble(deps);
  const service = defineService("dispatcher", (scope) => run(parts, scope));
  return {
    name: service.name,
    start: () => service.start(),
    stop: async (deadline) => {
      await within(deps.clock, deadline, wind(parts, service, deadline));
      parts.supervisor.letGo();
    },
    pass: (options) => passByHand(parts, options),
    wake: () => parts.bell.ring(),
    running: () => parts.supervisor.running(),
    dispatching: () => dispatching(parts),
    stalled: () => parts.health.stalled,
    ...createForesight({
      ...parts.loop,
      settings: parts.settings,
      claimReady: (...args) => parts.claiming.post(() => parts.readyLoop(...args)),
    }),
  };
}

type Parts = ReturnType<typeof assemble>;

/** Stops that are under way and starts are seen through; what they leave is found by the next owner. */
async function wind({ starter, supervisor }: Parts, service: Service, deadline: Ms): Promise<void> {
  await service.stop(deadline);
  await starter.idle();
  await supervisor.idle();
}

function assemble(deps: DispatcherDeps) {
  const bell = createBell();
  const changedAt = async (board: BoardSlug) => (await factsOf(deps.kernel.places(board).store))?.mtimeMs;
  const health = createHealth({ ...deps, changedAt });
  const settings = () => readSettings(deps.config);
  const supervisor = createSupervisor({ ...deps, settings, onFree: () => bell.ring() });
  const starter = createStarter({ ...deps, settings, supervisor }, () => bell.ring());
  const { starting, begin } = starter;
  const loop = { ...deps, health, supervisor, starting, begin };
  const readyLoop = createReadyLoop(loop);
  // Stopping a worker takes seconds; claiming does not wait for it.
  const supervising = createMailbox("supervision", LIMITS.mailbox);
  const claiming = createMailbox("dispatcher", LIMITS.mailbox);
  return { deps, bell, health, settings, supervisor, starter, loop, readyLoop, supervising, claiming };
}

async function run(parts: Parts, scope: Scope): Promise<void> {
  const { deps, bell, health, supervisor } = parts;
  const deadlines = createDeadlines({ ...deps, health }, scope, () => tick(parts, scope, deadlines));
  await adoptWorkers({ ...deps, health, supervisor });
  const heard = deps.kernel.onWake((board, cause) => {
    if (cause === "closed") scope.run(() => supervisor.release(board));
    bell.ring();
  });
  scope.onStop(heard);
  scope.onStop(deps.config.onChange(() => bell.ring()));
  scope.loop(() => onEvent(parts, scope, deadlines));
  scope.loop(async () => {
    tick(parts, scope, deadlines);
    await deps.clock.sleep(deps.forced?.intervalMs ?? parts.settings().intervalMs, scope.signal);
  });
}

/** A commit, a free slot, a changed configuration: look for tasks that can start. */
async function onEvent(parts: Parts, scope: Scope, deadlines: Deadlines): Promise<void> {
  await parts.bell.rung(scope.signal);
  const result = emptyResult(false);
  await guarded(parts, async () => {
    if (dispatching(parts)) await claimReady(parts, { ...parts.deps.forced }, result, true);
    await deadlines.arm();
  });
  parts.deps.signals?.passed?.emit(result);
}

/** The full pass of the interval and of a deadline. It runs beside the events, which do not wait for it. */
function tick(parts: Parts, scope: Scope, deadlines: Deadlines): void {
  scope.run(() =>
    guarded(parts, async () => {
      if (scope.signal.aborted || parts.supervising.waiting > 1) return;
      deadlines.met(toUnix(parts.deps.clock.now()));
      const result = emptyResult(false);
      await Promise.all([superviseAll(parts, { ...parts.deps.forced }, result), advance(parts, result).finally(parts.bell.ring)]);
      await deadlines.arm();
    }),
  );
}

/** All steps in order, awaited: what `agent kanban dispatch` does. */
async function passByHand(parts: Parts, options: PassOptions): Promise<PassResult> {
  const result = emptyResult(options.dryRun ?? false);
  if (options.dryRun) await previewBoards({ ...parts.deps, ...parts }, parts.settings(), result);
  else {
    await superviseAll(parts, options, result);
    await advance(parts, result);
  }
  await Promise.all(await claimReady(parts, options, result));
  return result;
}

/** Steps 2 to 5. */
function superviseAll(parts: Parts, options: PassOptions, result: PassResult): Promise<void> {
  const { deps, health, supervisor, supervising } = parts;
  const count: Parameters<typeof supervisor.pass>[1] = (task, settled) => countSettled(result, task, settled);
  return supervising.post(async () => {
    await health.each(await deps.kernel.slugs(), (board) => supervisor.pass(board, count, options.failureLimit));
  });
}

/** Steps 6 and 7. */
async function advance({ deps, health }: Parts, result: PassResult): Promise<void> {
  await health.each(await deps.kernel.slugs(), async (board) => {
    result.due += (await deps.kernel.due(board)).length;
    result.promoted += (await deps.kernel.promoteAll(board)).length;
  });
}

/** Step 8. */
function claimReady(parts: Parts, options: PassOptions, result: PassResult, quick = false): Promise<readonly Promise<void>[]> {
  return parts.claiming.post(() => parts.readyLoop(parts.settings(), { ...options, quick }, result));
}

function dispatching({ deps }: Parts): boolean {
  return deps.forced !== undefined || mayDispatch(deps.config, deps.env);
}

/** A pass that fails is repeated by the next event or interval; its board is set aside before that. */
async function guarded({ deps }: Parts, body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    const { code, message } = toAppError(error);
    deps.log.error("a pass of the dispatcher failed", { code, message });
  }
}
