import type { PassOptions } from "../../contracts/board/api.js";
import type { PassResult } from "../../contracts/board/board.js";
import { sweepRuns } from "./adopt.js";
import { type DispatcherParts, dispatching } from "./dispatcher-parts.js";
import { countSettled, emptyResult } from "./pass-count.js";
import { previewBoards } from "./pass-preview.js";

/** All steps in order, awaited: what `agent kanban dispatch` does (board part, 6.4). */
export async function passByHand(parts: DispatcherParts, options: PassOptions): Promise<PassResult> {
  const result = emptyResult(options.dryRun ?? false);
  await parts.deps.refresh?.();
  if (options.dryRun) {
    const releasesLost = parts.unbound.peek() === undefined;
    const { failureLimit } = options;
    const { starting } = parts.starter;
    const preview = await previewBoards({ ...parts.deps, ...parts, starting, releasesLost, failureLimit }, result);
    await parts.claiming.post(() => parts.readyLoop(parts.settings(), { ...options, quick: false, preview }, result));
    return result;
  }
  await parts.unbound();
  await superviseAll(parts, options, result);
  await advance(parts, result);
  await Promise.all(await claimReady(parts, options, result));
  return result;
}

/** Steps 2 to 5. */
export function superviseAll(parts: DispatcherParts, options: PassOptions, result: PassResult): Promise<void> {
  const { deps, health, supervisor, supervising } = parts;
  const count: Parameters<typeof supervisor.pass>[1] = (task, settled) => countSettled(result, task, settled);
  return supervising.post(async () => {
    await health.each(await deps.kernel.slugs(), async (board) => {
      await supervisor.pass(board, count, options.failureLimit);
      await sweepRuns(deps, board);
    });
  });
}

/** Steps 6 and 7. */
export async function advance({ deps, health }: DispatcherParts, result: PassResult): Promise<void> {
  await health.each(await deps.kernel.slugs(), async (board) => {
    result.due += (await deps.kernel.due(board)).length;
    result.promoted += (await deps.kernel.promoteAll(board)).length;
  });
}

/** Step 8. Resolves with the starts that are under way. */
function claimReady(
  parts: DispatcherParts,
  options: PassOptions,
  result: PassResult,
): Promise<readonly Promise<void>[]> {
  return parts.claiming.post(() => parts.readyLoop(parts.settings(), { ...options, quick: false }, result));
}

/** The same for an event, for as long as it may dispatch by itself. */
export function claimSome(
  parts: DispatcherParts,
  options: PassOptions,
  result: PassResult,
): Promise<readonly Promise<void>[]> {
  const allowed = () => dispatching(parts);
  return parts.claiming.post(() => parts.readyLoop(parts.settings(), { ...options, quick: true, allowed }, result));
}
