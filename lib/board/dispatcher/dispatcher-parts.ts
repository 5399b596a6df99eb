import { once } from "../../base/async/lazy.js";
import { createMailbox } from "../../base/async/mailbox.js";
import { createWakeup } from "../../base/async/wakeup.js";
import { statPath } from "../../base/fs/files.js";
import type { Ids } from "../../base/ids.js";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log/log.js";
import type { TestSignal } from "../../base/process/signal.js";
import type { BoardSlug } from "../../base/units.js";
import type { BoardApi } from "../../contracts/board/api.js";
import type { PassResult } from "../../contracts/board/board.js";
import type { Config } from "../../contracts/config/config.js";
import type { BoardKernel } from "../core/kernel.js";
import type { Program } from "../worker-process/runner.js";
import type { StopDeps } from "../worker-process/stop.js";
import type { WorkerProfiles } from "../worker-process/worker-profile.js";
import { settleUnbound } from "./adopt.js";
import { createForce } from "./dispatcher-force.js";
import { mayDispatch, readDispatchSettings } from "./dispatcher-settings.js";
import { createStarter } from "./dispatcher-starts.js";
import { createHealth } from "./health.js";
import { createReadyLoop } from "./pass.js";
import { createWorkerSupervisor } from "./supervise.js";

export interface DispatcherDeps extends StopDeps {
  readonly kernel: BoardKernel;
  readonly api: Pick<BoardApi, "show" | "list">;
  readonly ids: Ids;
  readonly log: Log;
  readonly config: Config;
  /** Looks whether the file of the configuration was changed, and reads it again if so. */
  readonly refresh?: () => Promise<void>;
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
  /** Claims by itself only while it is forced: the owner is there for a `daemon --force`. */
  readonly reserved?: boolean;
  /** The owner is a workspace. */
  readonly workspace?: boolean;
  readonly signals?: { readonly passed?: TestSignal<PassResult> };
}

/** What a dispatcher is made of. */
export type DispatcherParts = ReturnType<typeof assembleDispatcher>;

export function assembleDispatcher(deps: DispatcherDeps) {
  const wakeup = createWakeup();
  // Rings when the pause between two full passes is over, or has another length.
  const interval = createWakeup();
  const force = createForce();
  const changedAt = async (board: BoardSlug) => (await statPath(deps.kernel.places(board).store))?.mtimeMs;
  const health = createHealth({ ...deps, changedAt });
  const settings = () => readDispatchSettings(deps.config);
  const failureLimit = () => force.now?.failureLimit;
  const supervisor = createWorkerSupervisor({ ...deps, settings, failureLimit, onFree: () => wakeup.notify() });
  const starter = createStarter({ ...deps, settings, supervisor }, () => wakeup.notify());
  const { starting, begin } = starter;
  const loop = { ...deps, health, supervisor, starting, begin };
  const readyLoop = createReadyLoop(loop);
  // Stopping a worker takes seconds; claiming does not wait for it.
  const supervising = createMailbox("supervision", LIMITS.mailbox);
  const claiming = createMailbox("dispatcher", LIMITS.mailbox);
  // Before this process has claimed anything: afterwards such a run may be one that is being started here.
  const unbound = once(() => settleUnbound({ ...deps, health, supervisor, starting }));
  return {
    deps,
    wakeup,
    interval,
    force,
    health,
    settings,
    supervisor,
    starter,
    loop,
    readyLoop,
    supervising,
    claiming,
    unbound,
  };
}

/** It claims by itself now. */
export function dispatching({ deps, force }: DispatcherParts): boolean {
  return force.now !== undefined || (deps.reserved !== true && mayDispatch(deps.config, deps.env, deps.workspace));
}
