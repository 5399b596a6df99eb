import type { State } from "../model/state.js";
import type { RunRow, RunsState } from "./state.js";

/** The run under the cursor. */
export const selectedRun = ({ runs }: State): RunRow | undefined =>
  runs.opened === undefined ? (runs.shown[placeOf(runs)] ?? runs.shown[0]) : runs.all.get(runs.opened.id);

/** Place of the cursor in what is shown. */
export const placeOf = ({ shown, cursor }: RunsState): number =>
  Math.max(
    0,
    shown.findIndex(({ id }) => id === cursor),
  );

/** How many work now; the turn that the chat shows is not one of them. */
export const liveRuns = ({ runs }: State): number =>
  [...runs.all.values()].filter((row) => row.endedAt === null && !isOwn(row, runs)).length;

const isOwn = ({ kind, session }: RunRow, { own }: RunsState): boolean =>
  kind === "turn" && own !== undefined && session === own;

/** Rows with the listed runs in it, in their order: waiting for an answer, at work, ended. */
export function withRuns(runs: RunsState, all: ReadonlyMap<string, RunRow>): RunsState {
  const next = { ...runs, all, shown: sorted(all, runs) };
  const marked = new Set([...runs.marked].filter((id) => all.has(id)));
  if (runs.cursor === undefined || next.shown.some(({ id }) => id === runs.cursor)) return { ...next, marked };
  // What was under the cursor is gone: what took its place is.
  return { ...next, marked, cursor: next.shown[Math.min(placeOf(runs), next.shown.length - 1)]?.id };
}

function sorted(all: ReadonlyMap<string, RunRow>, runs: RunsState): readonly RunRow[] {
  const { ended, filter } = runs;
  const wanted = filter.toLowerCase();
  return [...all.values()]
    .filter((row) => !isOwn(row, runs) && (ended || row.endedAt === null) && (wanted === "" || hasText(row, wanted)))
    .sort(byPlace);
}

/** The text is in what is shown of it; lower case. */
export const hasText = ({ title, profile, kind, activity, task, state }: RunRow, wanted: string): boolean =>
  [title, profile, kind, activity, task ?? "", state].some((part) => part.toLowerCase().includes(wanted));

const rank = ({ waits, endedAt }: RunRow): number => (endedAt !== null ? 2 : waits ? 0 : 1);

/** Those that work stay where they are: the newest stands first, and no activity changes that. */
const byPlace = (a: RunRow, b: RunRow): number =>
  rank(a) - rank(b) || (b.endedAt ?? b.startedAt) - (a.endedAt ?? a.startedAt) || (a.id < b.id ? -1 : 1);
