import { age } from "../ages.js";
import type { RowOf } from "../canvas.js";
import type { State } from "../state.js";
import { THEME } from "../theme.js";
import { fit } from "../width.js";
import type { RunRow } from "./state.js";

/** Everything that works on its own, active first. */
export function runRows(state: State, width: number): readonly RowOf[] {
  if (state.runs.rows.state === "loading") return [[[THEME.dim, "…"]]];
  if (state.runs.rows.state === "failed") return [[[THEME.error, fit(state.runs.rows.message, width)]]];
  const rows = state.runs.rows.rows;
  return rows.length === 0 ? [[[THEME.dim, "Nothing is running."]]] : rows.map((row) => runRow(row, width, state.wall));
}

function runRow(row: RunRow, width: number, wall: number): RowOf {
  const live = row.endedAt === null;
  const time = age((row.endedAt === null ? wall : row.endedAt * 1000) - row.startedAt * 1000);
  const glyph = live ? "●" : row.state === "completed" || row.state === "done" ? "✓" : "✗";
  const tail = `  ${live ? time : `${row.state} ${time}`}`;
  return [
    [live ? THEME.accent : glyph === "✓" ? THEME.ok : THEME.error, `${glyph} `],
    [THEME.text, fit(`${row.taskId} ${row.profile.padEnd(8)} ${row.title}`, Math.max(8, width - tail.length - 2))],
    [THEME.dim, tail],
  ];
}
