import { useServices } from "../../services.js";
import { useBoard } from "../board-context.js";
import { taskCalls } from "../drawer/calls.js";
import { getTriageProgress, withProgress } from "./progress.js";

/** Asks the model about a triage task. The answer may take a minute; the events of the board show what came of it. */
export function useTriage(id: string): (what: "specify" | "decompose") => void {
  const board = useBoard();
  const { api, tell } = useServices();
  const store = getTriageProgress(board);
  const ask = async (what: "specify" | "decompose"): Promise<void> => {
    if (store.get().get(id)?.state === "working") return;
    store.update((all) => withProgress(all, id, { state: "working", what, since: Date.now() }));
    try {
      const { ok, reason } = await taskCalls(api, board.slug, id)[what]();
      store.update((all) => withProgress(all, id, ok ? undefined : { state: "failed", what, reason }));
      if (ok) tell("done", `${id}: ${reason}.`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      store.update((all) => withProgress(all, id, { state: "failed", what, reason }));
    }
  };
  return (what) => {
    ask(what).catch(() => undefined);
  };
}
