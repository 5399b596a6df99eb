import type { RowOf, Span } from "../draw/canvas.js";
import { sanitizeLine } from "../draw/sanitize.js";
import { ATTRIBUTES, ansi, THEME } from "../draw/theme.js";

const SEQUENCE =
  /\x1b\[([0-9;:]*)m|\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|[\x90\x9d][^\x07\x1b\x9c]*[\x07\x9c]?|\x9b[0-?]*[ -/]*[@-~]|\x1b.?/g;
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

interface Pen {
  readonly fg: number | undefined;
  readonly bg: number | undefined;
  readonly attributes: number;
}

const PLAIN: Pen = { fg: undefined, bg: undefined, attributes: 0 };

/** A line of a program's output: its sixteen colours stay, everything else that would act on a terminal is left out. */
export function ansiSpans(line: string): RowOf {
  const last = afterReturn(line);
  const spans: Span[] = [];
  let pen = PLAIN;
  let from = 0;
  const add = (text: string) => {
    const clean = sanitizeLine(text.replace(CONTROL, ""));
    if (clean !== "") spans.push([pen === PLAIN ? THEME.text : ansi(pen.fg, pen.bg, pen.attributes), clean]);
  };
  for (const found of last.matchAll(SEQUENCE)) {
    add(last.slice(from, found.index));
    from = found.index + found[0].length;
    if (found[1] !== undefined) pen = penAfter(pen, found[1]);
  }
  add(last.slice(from));
  return spans;
}

/** What a line that was written over shows in the end. */
function afterReturn(line: string): string {
  const parts = line.replace(/\r+$/, "").split("\r");
  return parts.findLast((part) => part !== "") ?? "";
}

function penAfter(before: Pen, params: string): Pen {
  const codes = params.split(/[;:]/).map((code) => Number(code === "" ? 0 : code));
  let pen = before;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const [mode, colour = 16] = codes.slice(at + 1);
      if (mode === 5 && colour < 16) pen = { ...pen, [code === 38 ? "fg" : "bg"]: colour };
      at += mode === 5 ? 2 : mode === 2 ? 4 : 0;
    } else pen = withCode(pen, code);
  }
  return pen;
}

const { bold, underline, inverse } = ATTRIBUTES;
const ON: Readonly<Record<number, number>> = { 1: bold, 4: underline, 7: inverse };
const OFF: Readonly<Record<number, number>> = { 22: bold, 24: underline, 27: inverse };

function withCode(pen: Pen, code: number): Pen {
  if (code === 0) return PLAIN;
  if (ON[code] !== undefined) return { ...pen, attributes: pen.attributes | ON[code] };
  if (OFF[code] !== undefined) return { ...pen, attributes: pen.attributes & ~OFF[code] };
  if (code === 39) return { ...pen, fg: undefined };
  if (code === 49) return { ...pen, bg: undefined };
  if (code >= 30 && code <= 37) return { ...pen, fg: code - 30 };
  if (code >= 90 && code <= 97) return { ...pen, fg: code - 82 };
  if (code >= 40 && code <= 47) return { ...pen, bg: code - 40 };
  if (code >= 100 && code <= 107) return { ...pen, bg: code - 92 };
  return pen;
}
