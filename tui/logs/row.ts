import { type LogSource, logRecord } from "../../lib/contracts/ui/log-lines.js";
import { type SafeText, sanitizeLine } from "../draw/sanitize.js";
import { ansiSpans } from "./ansi.js";
import type { LogRow } from "./state.js";

/** A line as it is shown. */
export function toRow(line: string, source: LogSource): LogRow {
  if (source === "run" || source === "process") {
    const spans = ansiSpans(line);
    const text = sanitizeLine(spans.map(([, part]) => part).join(""));
    return { line, text, parts: undefined, level: undefined, spans, note: false };
  }
  const text = sanitizeLine(line);
  const found = logRecord(text);
  if (found === undefined) return { line, text, parts: undefined, level: undefined, spans: undefined, note: false };
  const parts = { at: found.at, component: found.component as SafeText, text: found.text as SafeText }; // parts of a clean text
  return { line, text, parts, level: found.level, spans: undefined, note: false };
}

/** A word of the screen between the lines. */
export const noteRow = (text: string): LogRow => ({
  line: "",
  text: sanitizeLine(text),
  parts: undefined,
  level: undefined,
  spans: undefined,
  note: true,
});
