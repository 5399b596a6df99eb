import { logFacts, logRecord } from "../../lib/contracts/ui/log-lines.js";
import { type RowOf, wrap } from "../draw/canvas.js";
import { sanitize, sanitizeLine } from "../draw/sanitize.js";
import { THEME } from "../draw/theme.js";
import { truncateToWidth } from "../draw/width.js";
import type { LogRow } from "./state.js";

/** A line as its fields. */
export function recordFields({ line, text }: LogRow): readonly (readonly [name: string, value: string])[] {
  const record = logRecord(line);
  if (record === undefined) return [["line", text]];
  const { message, facts } = logFacts(record.text);
  return [
    ["time", `${record.at} UTC`],
    ["level", record.level],
    ["component", sanitizeLine(record.component)],
    ...(record.session === "" ? [] : ([["session", sanitizeLine(record.session)]] as const)),
    ["message", sanitize(message)],
    ...facts.map(([name, value]) => [sanitizeLine(name), sanitize(value)] as const),
  ];
}

const LABEL = 15;

/** The whole record, its names at the left. */
export function recordRows(
  { row, top }: { readonly row: LogRow; readonly top: number },
  width: number,
  height: number,
): readonly RowOf[] {
  const all = fieldRows(recordFields(row), width);
  const foot: RowOf = [[THEME.dim, truncateToWidth("Esc back · y copies", width)]];
  const room = Math.max(1, height - 1);
  const from = Math.min(top, Math.max(0, all.length - room));
  const shown = all.slice(from, from + room);
  return [...shown, ...Array.from({ length: room - shown.length }, (): RowOf => []), foot].slice(0, height);
}

/** Names in one column, values wrapped beside them. */
export function fieldRows(
  fields: readonly (readonly [name: string, value: string])[],
  width: number,
): readonly RowOf[] {
  const label = Math.min(LABEL, Math.max(8, width >> 2));
  return fields.flatMap(([name, value]) =>
    wrap(value, Math.max(8, width - label)).map(
      (line, at): RowOf => [
        [THEME.dim, (at === 0 ? truncateToWidth(name, label - 1) : "").padEnd(label)],
        [THEME.text, line],
      ],
    ),
  );
}
