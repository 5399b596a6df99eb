import type { ShownLevel } from "./names.js";

/** A line of a log, taken apart for its look. */
export interface LogLine {
  readonly level: ShownLevel | undefined;
  /** Time, level and part of the program; empty for a line that is no record. */
  readonly head: string;
  readonly text: string;
}

const LINE = /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),\d{3} (DEBUG|INFO|WARNING|ERROR) ((?:\[[^\]]*\] )?[^\s:]+): (.*)$/s;
const BY_NAME: Readonly<Record<string, ShownLevel>> = {
  DEBUG: "debug",
  INFO: "info",
  WARNING: "warning",
  ERROR: "error",
};

/** What a line says. */
export function readLine(line: string): LogLine {
  const [, at, name = "", who, text] = LINE.exec(line) ?? [];
  if (at === undefined || text === undefined) return { level: undefined, head: "", text: line };
  return { level: BY_NAME[name], head: `${at} ${name} ${who ?? ""}`, text };
}
