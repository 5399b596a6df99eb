import { unreachable } from "../../base/errors.js";
import type { TaskId } from "../../base/units.js";
import type { PassResult } from "../../contracts/board/board.js";
import type { Settled } from "../core/kernel.js";

/** A pass that did nothing yet; keys in the order of board part 6.9. */
export function emptyResult(dryRun: boolean): PassResult {
  return {
    reclaimed: 0,
    promoted: 0,
    due: 0,
    spawned: [],
    crashed: [],
    timed_out: [],
    stale: [],
    rate_limited: [],
    protocol_violations: [],
    auto_blocked: [],
    auto_assigned_default: [],
    skipped_unassigned: [],
    skipped_nonspawnable: [],
    skipped_per_profile_capped: [],
    skipped_capped: 0,
    skipped_paused: 0,
    respawn_guarded: [],
    dry_run: dryRun,
  };
}

/** Put a settled run into its bucket. */
export function countSettled(result: PassResult, task: TaskId, settled: Settled): void {
  if (!settled.settled) return;
  if (settled.gaveUp) result.auto_blocked.push(task);
  switch (settled.outcome) {
    case "crashed":
      result.crashed.push(task);
      return;
    case "timed_out":
      result.timed_out.push(task);
      return;
    case "stale":
      result.stale.push(task);
      return;
    case "rate_limited":
      result.rate_limited.push(task);
      return;
    case "protocol_violation":
      result.protocol_violations.push(task);
      return;
    case "reclaimed":
      result.reclaimed += 1;
      return;
    case "completed":
    case "blocked":
    case "scheduled":
    case "spawn_failed":
      return;
    default:
      unreachable(settled.outcome);
  }
}
