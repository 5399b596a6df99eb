import type { ContextReport } from "../../../lib/proto/chat-usage.js";
import { type RowOf, wrap } from "../../canvas.js";
import { THEME } from "../../theme.js";
import { fit, textCells } from "../../width.js";
import type { OverlayKind } from "../overlay.js";
import type { UsageOverlay } from "./state.js";

const WIDEST = 104;

/** Bars of what fills the window, below them the table; or what was spent. */
export const USAGE_KIND: OverlayKind<UsageOverlay> = {
  context: "usage",
  draw: (_state, overlay, room) => {
    const width = Math.min(room.width, WIDEST);
    const rows = [...tabs(overlay), [], ...bars(overlay.report, width), ...body(overlay, width)];
    const top = Math.min(overlay.top, Math.max(0, rows.length - room.height));
    const shown = Array.from({ length: Math.min(room.height, Math.max(rows.length, 12)) }, (_, at): RowOf => rows[top + at] ?? []);
    return {
      ...{ title: overlay.tab === "context" ? "Context" : "Cost", width, rows: shown },
      foot: width < 60 ? "Tab other · Esc closes" : "Tab context or cost · s session · t today · w week · a all · Esc",
      ...(rows.length > room.height ? { scroll: { top, shown: room.height, total: rows.length } } : {}),
    };
  },
};

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
  if (text === undefined) return [[[THEME.dim, " asking…"]]];
  return text.split("\n").flatMap((line) => {
    const parts = textCells(line) <= width - 2 ? [line] : wrap(line, width - 2);
    return parts.map((part): RowOf => [[error ? THEME.error : THEME.text, fit(` ${part}`, width)]]);
  });
}
