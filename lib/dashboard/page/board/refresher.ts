import type { BoardView } from "../../../contracts/board/explain.js";
import { refreshed } from "../state/board/patch.js";
import type { BoardState } from "../state/board/state.js";
import type { Store } from "../state/store.js";

/** Ids in one question. */
const PIECE = 200;

/**
 * Reads cards again, one question at a time: what is asked for while one is under way goes into the next. Without ids it reads what stands above the
 * cards. What could not be read is asked for again with the next call.
 */
export function refresher(
  state: Store<BoardState>,
  ask: (ids: readonly string[]) => Promise<BoardView>,
): (ids: readonly string[]) => Promise<void> {
  const waiting = new Set<string>();
  let wanted = false;
  let running: Promise<void> | undefined;

  const drain = async (): Promise<void> => {
    while (wanted) {
      const ids = [...waiting].slice(0, PIECE);
      for (const id of ids) waiting.delete(id);
      wanted = waiting.size > 0;
      const view = await ask(ids).catch((error: unknown) => {
        for (const id of ids) waiting.add(id);
        throw error;
      });
      state.update((now) => (now.phase === "ready" ? refreshed(now, view, ids) : now));
    }
  };
  return (ids) => {
    for (const id of ids) waiting.add(id);
    wanted = true;
    running ??= drain().finally(() => {
      running = undefined;
    });
    return running;
  };
}
