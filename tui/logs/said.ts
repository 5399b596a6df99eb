import type { State } from "../state.js";
import { withView } from "./lens.js";
import { withNote } from "./lines.js";

const PASSING_MS = 3_000; // a hint about a key is no message

/** What was said to the user stays readable in the owner's log (workspace part, 8). */
export function keptSaid(before: State, after: State): State {
  const { message, logs } = after;
  if (message === undefined || message === before.message || message.until - after.now < PASSING_MS) return after;
  const { view } = logs;
  if (view.filter.source !== "owner" || view.filter.text !== undefined || view.phase !== "ready") return after;
  const time = new Date(after.wall).toTimeString().slice(0, 8);
  return withView(after, "logs", withNote(view, `${time} said  ${message.text}`));
}
