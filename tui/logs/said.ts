import type { State } from "../model/state.js";
import { withView } from "./lens.js";
import { trimmed } from "./lines.js";
import { noteRow } from "./row.js";
import type { LogRow, LogsState, LogView, Said } from "./state.js";

const PASSING_MS = 3_000; // a hint about a key is not a message
const KEPT = 500;

/** What was said to the user stays readable in the owner's log, whatever its filter (workspace part, 8). */
export function recordMessage(before: State, after: State): State {
  const { message, logs, wall } = after;
  if (message === undefined || message === before.message || message.until - after.now < PASSING_MS) return after;
  const one: Said = { wall, text: message.text };
  const next = { ...after, logs: { ...logs, said: [...logs.said, one].slice(-KEPT) } };
  const { view } = logs;
  if (view.phase !== "ready" || !isFor(view, one)) return next;
  return withView(next, "logs", trimmed({ ...view, rows: [...view.rows, rowOf(one)] }));
}

/** The lines of a log that was asked for again, with what was said between them. */
export function mergeMessages(view: LogView, said: LogsState["said"]): LogView {
  const own = said.filter((one) => isFor(view, one));
  if (own.length === 0) return view;
  const rows: LogRow[] = [];
  let next = 0;
  for (const row of view.rows) {
    const at = timeOf(row);
    for (let one = own[next]; at !== undefined && one !== undefined && one.wall < at; one = own[++next])
      rows.push(rowOf(one));
    rows.push(row);
  }
  return { ...view, rows: [...rows, ...own.slice(next).map(rowOf)] };
}

const isFor = ({ filter }: LogView, { text }: Said): boolean =>
  filter.source === "owner" && (filter.text === undefined || text.toLowerCase().includes(filter.text.toLowerCase()));

const rowOf = ({ wall, text }: Said): LogRow => noteRow(`${new Date(wall).toTimeString().slice(0, 8)} notice  ${text}`);

/** The log's times are UTC. */
function timeOf({ parts }: LogRow): number | undefined {
  const at = parts === undefined ? Number.NaN : Date.parse(`${parts.at.replace(" ", "T").replace(",", ".")}Z`);
  return Number.isNaN(at) ? undefined : at;
}
