import type { Scope } from "../../base/async/service.js";
import { toAppError } from "../../base/errors.js";
import { toUnix } from "../../base/units.js";
import { adoptWorkers } from "./adopt.js";
import { createDeadlines, type DispatchDeadlines } from "./dispatcher-deadlines.js";
import { type DispatcherParts, dispatching } from "./dispatcher-parts.js";
import { advance, claimSome, superviseAll } from "./dispatcher-passes.js";
import { emptyResult } from "./pass-count.js";

/** The work of a started dispatcher: adoption first, then events, deadlines and the interval until the scope ends (board part, 6.2). */
export async function runLoops(parts: DispatcherParts, scope: Scope): Promise<void> {
  const { deps, wakeup, interval, health, supervisor, starter } = parts;
  const deadlines = createDeadlines({ ...deps, health }, scope, () => tick(parts, scope, deadlines));
  await adoptWorkers({ ...deps, health, supervisor, starting: starter.starting });
  const heard = deps.kernel.onWake((board, cause) => {
    if (cause === "closed") scope.run(() => guarded(parts, () => supervisor.release(board)));
    if (cause === "bound") scope.run(() => guarded(parts, () => supervisor.meet(board)));
    else wakeup.notify();
  });
  scope.onStop(heard);
  scope.onStop(
    deps.config.onChange(() => {
      wakeup.notify();
      interval.notify();
    }),
  );
  scope.loop(() => onEvent(parts, scope, deadlines));
  scope.loop(() => onInterval(parts, scope, deadlines));
}

/** A full pass, then the pause. A changed configuration ends it early: the pause itself may have another length. */
async function onInterval(parts: DispatcherParts, scope: Scope, deadlines: DispatchDeadlines): Promise<void> {
  const { deps, force, interval } = parts;
  force.renew();
  tick(parts, scope, deadlines);
  const over = deps.clock.after(force.now?.intervalMs ?? parts.settings().intervalMs, interval.notify);
  try {
    await interval.wait(scope.signal);
  } finally {
    over();
  }
}

/** A commit, a free slot, a changed configuration: look for tasks that can start. */
async function onEvent(parts: DispatcherParts, scope: Scope, deadlines: DispatchDeadlines): Promise<void> {
  const { wakeup, deps, force } = parts;
  await wakeup.wait(scope.signal);
  const result = emptyResult(false);
  let starts: readonly Promise<void>[] = [];
  await guarded(parts, async () => {
    await deps.refresh?.();
    if (dispatching(parts)) {
      starts = await claimSome(parts, { ...force.now, max: force.left }, result);
      force.used(starts.length);
    }
    await deadlines.arm();
  });
  deps.signals?.passed?.emit(result);
  const told = force.now?.onPass;
  if (!told) return;
  scope.run(async () => {
    await Promise.all(starts);
    told(result);
  });
}

/** The full pass of the interval and of a deadline. It runs beside the events, which do not wait for it. */
function tick(parts: DispatcherParts, scope: Scope, deadlines: DispatchDeadlines): void {
  const { wakeup, deps, force, supervising } = parts;
  scope.run(() =>
    guarded(parts, async () => {
      if (scope.signal.aborted || supervising.waiting > 1) return;
      await deps.refresh?.();
      deadlines.met(toUnix(deps.clock.now()));
      const result = emptyResult(false);
      await Promise.all([superviseAll(parts, { ...force.now }, result), advance(parts, result).finally(wakeup.notify)]);
      await deadlines.arm();
      force.now?.onPass?.(result);
    }),
  );
}

/** A pass that fails is repeated by the next event or interval; its board is set aside before that. */
async function guarded({ deps }: DispatcherParts, body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    const { code, message } = toAppError(error);
    deps.log.error("a dispatcher pass failed", { code, message });
  }
}
