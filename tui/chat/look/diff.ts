import type { RowOf, Span } from "../../canvas.js";
import { shownLine, untabbed, wrapCode } from "../../markdown/wrap.js";
import { THEME } from "../../theme.js";

interface Line {
  readonly sign: "+" | "-" | " " | "@";
  readonly number: number;
  readonly text: string;
  /** Part of the text that differs from its counterpart. */
  readonly changed?: readonly [from: number, to: number];
}

/** Added and removed lines of a difference. */
export function statOf(diff: string): { readonly added: number; readonly removed: number } {
  const lines = linesOf(diff);
  return { added: lines.filter(({ sign }) => sign === "+").length, removed: lines.filter(({ sign }) => sign === "-").length };
}

/** A unified difference with line numbers, and words that differ marked. @param most lines at most */
export function diffRows(diff: string, width: number, most: number): { readonly rows: readonly RowOf[]; readonly hidden: number } {
  const lines = withChanges(linesOf(diff));
  const digits = String(Math.max(1, ...lines.map(({ number }) => number))).length;
  const rows = lines.slice(0, most).flatMap((line) => lineRows(line, digits + 2, width));
  return { rows, hidden: Math.max(0, lines.length - most) };
}

function linesOf(diff: string): readonly Line[] {
  const lines: Line[] = [];
  let old = 0;
  let fresh = 0;
  for (const text of diff.split("\n")) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(text);
    if (hunk) {
      if (lines.length > 0) lines.push({ sign: "@", number: 0, text: "" });
      old = Number(hunk[1]);
      fresh = Number(hunk[2]);
    } else if (old === 0 && fresh === 0) continue;
    else if (text.startsWith("+")) lines.push({ sign: "+", number: fresh++, text: text.slice(1) });
    else if (text.startsWith("-")) lines.push({ sign: "-", number: old++, text: text.slice(1) });
    else if (text.startsWith(" ")) {
      lines.push({ sign: " ", number: fresh++, text: text.slice(1) });
      old += 1;
    }
  }
  return lines;
}

/** Lines that took the place of as many others are compared with them, one by one. */
function withChanges(lines: readonly Line[]): readonly Line[] {
  const out = [...lines];
  for (let at = 0; at < out.length; ) {
    const gone = runOf(out, at, "-");
    const come = runOf(out, at + gone, "+");
    if (gone > 0 && gone === come) for (let row = at; row < at + gone; row++) compare(out, row, row + gone);
    at += Math.max(1, gone + come);
  }
  return out;
}

function runOf(lines: readonly Line[], from: number, sign: Line["sign"]): number {
  let end = from;
  while (lines[end]?.sign === sign) end += 1;
  return end - from;
}

const WORD = /[\p{L}\p{N}_]/u;

function compare(lines: Line[], gone: number, come: number): void {
  const [a, b] = [lines[gone], lines[come]];
  if (a === undefined || b === undefined) return;
  const most = Math.min(a.text.length, b.text.length);
  let head = 0;
  while (head < most && a.text[head] === b.text[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a.text[a.text.length - 1 - tail] === b.text[b.text.length - 1 - tail]) tail += 1;
  while (head > 0 && WORD.test(a.text[head - 1] ?? "")) head -= 1; // whole words
  while (tail > 0 && WORD.test(a.text[a.text.length - tail] ?? "")) tail -= 1;
  if (head + tail === 0) return; // all of it is new
  lines[gone] = { ...a, changed: [head, a.text.length - tail] };
  lines[come] = { ...b, changed: [head, b.text.length - tail] };
}

const STYLES = { "+": [THEME.diffAdd, THEME.diffAddWord], "-": [THEME.diffDel, THEME.diffDelWord], " ": [THEME.dim, THEME.dim] } as const;

function lineRows({ sign, number, text, changed }: Line, digits: number, width: number): readonly RowOf[] {
  if (sign === "@") return [[[THEME.dim, `${" ".repeat(digits)} ⋯`]]];
  const [style, strong] = STYLES[sign];
  const shown = untabbed(shownLine(text), 8);
  const spans: Span[] = [[style, shown]];
  if (changed !== undefined && shown === text) {
    const [from, to] = changed;
    spans.splice(0, 1, [style, text.slice(0, from)], [strong, text.slice(from, to)], [style, text.slice(to)]);
  }
  const lead = `${String(number).padStart(digits)} ${sign} `;
  const rows = wrapCode(
    spans.filter(([, part]) => part !== ""),
    Math.max(4, width - lead.length),
  );
  return rows.map(
    (row, place): RowOf => [[place === 0 && sign !== " " ? style : THEME.dim, place === 0 ? lead : " ".repeat(lead.length)], ...row],
  );
}
