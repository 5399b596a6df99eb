import { sanitizeLine } from "../sanitize.js";
import type { LogRow } from "./state.js";

/** A line of the log with its level. */
export function parseLogLine(line: string): LogRow {
  const level = / (DEBUG|INFO|WARNING|ERROR) /.exec(line)?.[1]?.toLowerCase();
  const known = level === "debug" || level === "warning" || level === "error" ? level : "info";
  return { text: sanitizeLine(line.slice(11)), level: known };
}
