import type { ContextReport } from "../../../lib/contracts/chat/usage.js";
import { type RowOf, wrap } from "../../draw/canvas.js";
import { THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import type { Room } from "../overlay.js";
import type { UsageOverlay } from "./state.js";

const WIDEST = 104;

export const widthIn = (room: Room): number => Math.min(room.width, WIDEST);

/** All of it: the tabs, bars, the table. */
export function usageRows(overlay: UsageOverlay, room: Room): readonly RowOf[] {
  const width = widthIn(room);
  return [...tabs(overlay), [], ...bars(overlay.report, width), ...body(overlay, width)];
}

/** The furthest that it can be scrolled. */
export const lastTop = (overlay: UsageOverlay, room: Room): number =>
  Math.max(0, usageRows(overlay, room).length - room.height);

/** Cells of the names of the tabs, which stand in the first row. */
export const TABS = { context: { from: 0, to: 9 }, cost: { from: 10, to: 16 } } as const;

const tabs = ({ tab, scope }: UsageOverlay): RowOf[] => [
  [
    [tab === "context" ? THEME.selection : THEME.dim, " context "],
    [THEME.text, " "],
    [tab === "cost" ? THEME.selection : THEME.dim, " cost "],
    [THEME.dim, tab === "cost" ? `  ${scope}` : ""],
  ],
];

const GROUPS = [
  ["system", "system prompt"],
  ["tools", "tool schemas"],
  ["messages", "messages"],
] as const;

/** One bar for each group of parts and one for what is free, in shares of the window. */
function bars(report: ContextReport | undefined, width: number): RowOf[] {
  if (report === undefined || report.window <= 0) return [];
  const cells = Math.max(8, Math.min(40, width - 32));
  const sums = GROUPS.map(([group, label]) => ({
    label,
    tokens: report.parts.filter((part) => part.group === group).reduce((sum, { tokens }) => sum + tokens, 0),
  }));
  const rows = [...sums, { label: "free", tokens: Math.max(0, report.free) }].map(({ label, tokens }): RowOf => {
    const share = Math.min(1, tokens / report.window);
    const full = Math.round(share * cells);
    const percent = `${Math.round(share * 100)} %`.padStart(6);
    return [
      [THEME.text, ` ${label.padEnd(14)}`],
      [label === "free" ? THEME.dim : THEME.accent, "█".repeat(full)],
      [THEME.dim, `${"░".repeat(cells - full)}${percent}`],
    ];
  });
  return [...rows, []];
}

function body({ text, error }: UsageOverlay, width: number): RowOf[] {
  if (text === undefined) return [[[THEME.dim, " loading…"]]];
  return text.split("\n").flatMap((line) => {
    const parts = textCells(line) <= width - 2 ? [line] : wrap(line, width - 2);
    return parts.map((part): RowOf => [[error ? THEME.error : THEME.text, truncateToWidth(` ${part}`, width)]]);
  });
}
