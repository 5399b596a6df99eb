import type { Clock } from "../../base/time/clock.js";
import type { BoardSlug, TaskId, UnixSeconds } from "../../base/units.js";
import type { PassOptions } from "../../contracts/board/api.js";
import type { PassResult } from "../../contracts/board/board.js";
import type { StartForecast } from "../../contracts/board/explain.js";
import type { BoardKernel } from "../core/kernel.js";
import type { WorkerProfiles } from "../worker-process/worker-profile.js";
import type { DispatchSettings } from "./dispatcher-settings.js";
import type { Health } from "./health.js";
import type { Counting, Starting } from "./pass-caps.js";
import type { Resolver } from "./pass-profiles.js";
import type { WorkerSupervisor } from "./supervise.js";
import type { ClaimedTask } from "./worker-start.js";

/** What a ready loop works with. */
export interface LoopDeps {
  readonly kernel: BoardKernel;
  readonly supervisor: WorkerSupervisor;
  readonly profiles: WorkerProfiles;
  readonly clock: Clock;
  readonly health: Health;
  /** `<host name>:<pid>` of this process, for display. */
  readonly lock: string;
  readonly starting: Starting;
  /** Start the worker of a task that was claimed and put it into `result`. Goes on beside the loop; never rejects. */
  readonly begin: (one: ClaimedTask, result: PassResult) => Promise<void>;
}

/** One ready loop at work. */
export interface Loop {
  readonly deps: LoopDeps;
  readonly settings: DispatchSettings;
  readonly options: PassOptions;
  /** Whether more may be claimed. */
  readonly allowed: () => boolean;
  readonly result: PassResult;
  readonly resolver: Resolver;
  readonly counts: Counting;
  readonly now: UnixSeconds;
  /** Now, for something that was stamped then: jumps of the wall clock do not count. */
  readonly since: (stamp: UnixSeconds) => UnixSeconds;
  readonly starts: Promise<void>[];
  /** Processes of an earlier run of the task live (step h). In a dry run it removes nothing. */
  readonly leaving: (board: BoardSlug, task: TaskId) => boolean;
  /** In a dry run: told what would be done with each ready task. */
  readonly tell: ((board: BoardSlug, start: StartForecast) => void) | undefined;
  /** Tasks that came as far as the claim, and those that were claimed. */
  startable: number;
  claimed: number;
}
