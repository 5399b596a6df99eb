import type { RowOf, Span } from "../../draw/canvas.js";
import { THEME } from "../../draw/theme.js";
import { expandTabs, shownLine, wrapCode } from "../../markdown/wrap.js";

interface Line {
  /** `@` stands between two places of a file, `#` names a file or says something about it. */
  readonly sign: "+" | "-" | " " | "@" | "#";
  readonly number: number;
  readonly text: string;
  /** Part of the text that differs from its counterpart. */
  readonly changed?: readonly [from: number, to: number];
}

/** Last line of a difference that was cut: what the whole of it adds and removes. */
const CUT = /^\.\.\. \(\d+ more lines(?:; \+(\d+) -(\d+) in all)?\)$/;

/** Added and removed lines of a difference. */
export function statOf(diff: string): { readonly added: number; readonly removed: number } {
  const cut = CUT.exec(diff.slice(diff.lastIndexOf("\n") + 1));
  if (cut?.[1] !== undefined) return { added: Number(cut[1]), removed: Number(cut[2]) };
  const lines = linesOf(diff);
  return {
    added: lines.filter(({ sign }) => sign === "+").length,
    removed: lines.filter(({ sign }) => sign === "-").length,
  };
}

/** A unified difference with line numbers, and words that differ marked. @param most lines at most */
export function diffRows(
  diff: string,
  width: number,
  most: number,
): { readonly rows: readonly RowOf[]; readonly hidden: number } {
  const lines = withChanges(linesOf(diff));
  const digits = String(Math.max(1, ...lines.map(({ number }) => number))).length;
  const rows = lines.slice(0, most).flatMap((line) => lineRows(line, digits + 2, width));
  return { rows, hidden: Math.max(0, lines.length - most) };
}

/** A hunk while it is read: the next line numbers, and how many lines of it are still to come. */
interface Hunk {
  old: number;
  fresh: number;
  oldLeft: number;
  freshLeft: number;
}

/** Lines of a unified difference. A difference of one file has no line that names it: the row of the call does. */
function linesOf(diff: string): readonly Line[] {
  const lines: Line[] = [];
  const files = new Set<string>();
  let name = "";
  let hunk: Hunk | undefined;
  for (const text of diff.split("\n")) {
    const begins = readHunk(text);
    if (CUT.test(text)) lines.push({ sign: "#", number: 0, text });
    else if (begins) {
      if (hunk !== undefined) lines.push({ sign: "@", number: 0, text: "" });
      hunk = begins;
    } else if (hunk !== undefined && hunk.oldLeft + hunk.freshLeft > 0) {
      const line = readLine(hunk, text);
      if (line !== undefined) lines.push(line);
    } else {
      const head = readHead(text, name);
      if (head === undefined) continue;
      name = head.name;
      if (head.shown === undefined) continue;
      hunk = undefined;
      if (!text.startsWith("(")) files.add(head.shown);
      if (lines.at(-1)?.text !== head.shown) lines.push({ sign: "#", number: 0, text: head.shown });
    }
  }
  return files.size > 1 || /^rename from /m.test(diff)
    ? lines
    : lines.filter(({ sign, text }) => sign !== "#" || !files.has(text));
}

function readHunk(text: string): Hunk | undefined {
  const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(text);
  if (!found) return undefined;
  return {
    old: Number(found[1]),
    fresh: Number(found[3]),
    oldLeft: Number(found[2] ?? 1),
    freshLeft: Number(found[4] ?? 1),
  };
}

/** The counts of the hunk say where it ends: what is removed and added may look like a header. */
function readLine(hunk: Hunk, text: string): Line | undefined {
  const sign = text[0];
  if (sign === "\\") return undefined; // "\ No newline at end of file"
  if (sign === "+") {
    hunk.freshLeft -= 1;
    return { sign, number: hunk.fresh++, text: text.slice(1) };
  }
  hunk.oldLeft -= 1;
  if (sign === "-") return { sign, number: hunk.old++, text: text.slice(1) };
  hunk.old += 1;
  hunk.freshLeft -= 1;
  return { sign: " ", number: hunk.fresh++, text: text.slice(1) };
}

/** A line between the hunks of two files. `name`: the old path, until the new one is known; `shown`: what is drawn. */
function readHead(text: string, name: string): { readonly name: string; readonly shown?: string } | undefined {
  const head = /^(---|\+\+\+|rename from|rename to) (.*)$/.exec(text);
  const path = (head?.[2] ?? "").replace(/\t.*$/, "");
  const plain = path.replace(/^[ab]\//, "");
  switch (head?.[1]) {
    case "---":
      return { name: plain };
    case "+++":
      return {
        name,
        shown: name === plain || name === "/dev/null" ? plain : plain === "/dev/null" ? name : `${name} → ${plain}`,
      };
    case "rename from":
      return { name: path };
    case "rename to":
      return { name, shown: `${name} → ${path}` };
    default:
      return text.startsWith("(") ? { name, shown: text } : undefined;
  }
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
  const a = lines[gone];
  const b = lines[come];
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

const STYLES = {
  "+": [THEME.diffAdd, THEME.diffAddWord],
  "-": [THEME.diffDel, THEME.diffDelWord],
  " ": [THEME.dim, THEME.dim],
} as const;

function lineRows({ sign, number, text, changed }: Line, digits: number, width: number): readonly RowOf[] {
  if (sign === "@") return [[[THEME.dim, `${" ".repeat(digits)} ⋯`]]];
  if (sign === "#")
    return wrapCode([[THEME.dim, shownLine(text)]], Math.max(4, width - 2)).map(
      (row): RowOf => [[THEME.dim, "  "], ...row],
    );
  const [style, strong] = STYLES[sign];
  const shown = expandTabs(shownLine(text), 8);
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
    (row, place): RowOf => [
      [place === 0 && sign !== " " ? style : THEME.dim, place === 0 ? lead : " ".repeat(lead.length)],
      ...row,
    ],
  );
}
