import type { State } from "../state.js";
import type { RunRow, RunsState } from "./state.js";

/** The runs that the cards of the board tell of: those that are open. */
export function runsOf({ board, runs }: State): RunsState {
  if (board.phase !== "ready") return runs;
  const rows = board.columns.running.map(
    (card): RunRow => ({
      ...{ taskId: card.id, title: card.title, profile: card.assignee ?? "", state: "running" },
      ...{ startedAt: card.since, endedAt: null },
    }),
  );
  return { ...runs, rows: { state: "ready", rows } };
}
