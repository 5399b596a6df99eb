import { sanitizeLine } from "../draw/sanitize.js";
import { type Data, number, text } from "../model/data.js";
import { COLUMNS, type Counts, everyColumn, isColumn, type TaskCard } from "./state.js";
import { isData, lineOrNull, numberOrNull } from "./wire.js";

/** A card as the owner sends it; undefined: it is none. */
export function toCard(row: Data): TaskCard | undefined {
  const status = text(row, "status");
  if (!isColumn(status)) return undefined;
  const children = row["children"];
  return {
    id: sanitizeLine(text(row, "id")),
    title: sanitizeLine(text(row, "title")),
    status,
    assignee: lineOrNull(row, "assignee"),
    priority: number(row, "priority"),
    tenant: lineOrNull(row, "tenant"),
    createdAt: number(row, "created_at"),
    endedAt: number(row, "ended_at"),
    made: number(row, "made"),
    since: number(row, "since"),
    beat: numberOrNull(row, "beat"),
    run: numberOrNull(row, "run_id"),
    note: sanitizeLine(text(row, "note")),
    comments: number(row, "comments"),
    children: isData(children) ? { done: number(children, "done"), total: number(children, "total") } : null,
    version: number(row, "version"),
  };
}

export function toCounts(value: unknown): Counts {
  const given = isData(value) ? value : {};
  const counts: Record<keyof Counts, number> = { ...everyColumn(0) };
  for (const column of COLUMNS) counts[column] = number(given, column);
  return counts;
}
