import { readPortion } from "../../base/log/log-pages.js";
import type { SessionId } from "../../base/units.js";
import { type LogFilter, type LogPage, logMatcher } from "../../contracts/ui/log-lines.js";
import { type LogSources, logFile } from "./log-files.js";

/** Portions that one answer looks through; the caller asks again for more. */
const PORTIONS = 16;

export interface PageAsked {
  readonly filter: LogFilter;
  readonly before: string | undefined;
  readonly lines: number;
}

/** Lines of a log before a place, the filter applied; perhaps fewer than asked for although there are more. @throws E_NOT_FOUND */
export async function logPage(parties: LogSources, { filter, before, lines: most }: PageAsked): Promise<LogPage> {
  if (filter.source === "process") return processPage(parties, filter, before);
  const file = await logFile(parties, filter);
  if (file === undefined) return { lines: [], before: null, exists: false };
  const keep = logMatcher(filter);
  const lines: string[] = [];
  let place = before;
  for (let portions = 1; ; portions++) {
    const portion = readPortion({ ...file, before: place, lines: most - lines.length, keep });
    lines.unshift(...portion.lines);
    place = portion.before;
    if (place === undefined || lines.length >= most || portions >= PORTIONS)
      return { lines, before: place ?? null, exists: portion.exists };
    await parties.rest(); // others are heard in between
  }
}

/** Output of a process is kept in memory, at most what one answer holds. */
async function processPage(parties: LogSources, filter: LogFilter, before: string | undefined): Promise<LogPage> {
  if (filter.process === undefined || before !== undefined) return { lines: [], before: null, exists: false };
  const output = await parties.processLog(filter.process.session as SessionId, filter.process.id); // proved by the look-up
  const lines = output.split("\n").filter(logMatcher(filter));
  if (lines.at(-1) === "") lines.pop();
  return { lines, before: null, exists: true };
}
