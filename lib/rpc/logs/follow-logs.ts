import { StringDecoder } from "node:string_decoder";
import type { Bus } from "../../backplane/bus.js";
import { toAppError } from "../../base/errors.js";
import { readPortion } from "../../base/log/log-pages.js";
import { type LogParts, tailLog } from "../../base/log/log-parts.js";
import type { Clock } from "../../base/time/clock.js";
import { type Ms, type SessionId, toIso } from "../../base/units.js";
import { LOG_TOPIC, type LogFilter, type LogPage, logFilterSchema, logMatcher } from "../../contracts/ui/log-lines.js";
import { createLineBatcher } from "./line-batches.js";
import { type LogFile, type LogSources, logFile } from "./log-files.js";

/** How often a file that others write, or the output of a process, is looked at while it is followed. */
const LOOK: Ms = 100;
const FIRST_LINES = 500;
const LONGEST_LINE = 64 << 10;

/** What a topic is followed with. */
interface Followed {
  readonly parties: LogSources;
  readonly clock: Clock;
  readonly filter: LogFilter;
  readonly signal: AbortSignal;
  /** The page that stands before the live lines. */
  begin(page: LogPage): void;
  line(text: string): void;
}

/** Logs are topics: each begins with its newest lines and continues with those that are written, while it has listeners. */
export function serveLogs(bus: Bus, parties: LogSources, clock: Clock): void {
  bus.makeTopics(LOG_TOPIC, (topic) => {
    const ended = new AbortController();
    const tell = (event: string, data: Readonly<Record<string, unknown>>) => {
      if (!ended.signal.aborted) bus.delta(topic, { event, at: toIso(clock.now()), data });
    };
    const teller = createLineBatcher(clock, (told) => tell("log.lines", { ...told }));
    const work = async () => {
      const filter = logFilterSchema.parse(JSON.parse(topic.slice(LOG_TOPIC.length)));
      const keep = logMatcher(filter);
      const line = (text: string) => {
        if (keep(text)) teller.line(text);
      };
      await follow({
        parties,
        clock,
        filter,
        signal: ended.signal,
        begin: (page) => tell("log.begin", { ...page }),
        line,
      });
    };
    work().catch((error: unknown) => tell("log.failed", { message: toAppError(error).message }));
    return () => {
      ended.abort();
      teller.stop();
    };
  });
}

async function follow(followed: Followed): Promise<void> {
  const { parties, filter, signal } = followed;
  if (filter.source === "process") return followProcess(followed);
  const file = await logFile(parties, filter);
  if (file === undefined) return followed.begin({ lines: [], before: null, exists: false });
  if (signal.aborted) return;
  if (!file.told) return followFile(followed, file);
  // Nothing is awaited in between: no line is written before the one and told after the other.
  const forget = parties.lines.listen((line) => {
    if (filter.source !== "errors" || / (WARNING|ERROR) /.test(line.slice(20, 36))) followed.line(line);
  });
  signal.addEventListener("abort", forget, { once: true });
  followed.begin(firstPage(file, filter));
}

/** The first portion alone is read before anything is shown; a filter that lets little through is answered by further pages. */
function firstPage(file: LogFile, filter: LogFilter): LogPage {
  const { lines, before, exists } = readPortion({
    ...file,
    before: undefined,
    lines: FIRST_LINES,
    keep: logMatcher(filter),
  });
  return { lines, before: before ?? null, exists };
}

async function followFile(followed: Followed, file: LogFile): Promise<void> {
  const { clock, signal, filter } = followed;
  let rest = Buffer.alloc(0);
  const tail = tailLog(file.path);
  // A line that is being written belongs to what follows.
  const range = (log: LogParts) => {
    const whole = file.range === undefined ? { from: 0, to: log.size } : file.range(log);
    if (whole === undefined || whole.to < log.size) return whole;
    const bytes = log.read(Math.max(whole.from, whole.to - LONGEST_LINE), whole.to);
    rest = Buffer.from(bytes.subarray(bytes.lastIndexOf(10) + 1));
    return { from: whole.from, to: whole.to - rest.length };
  };
  followed.begin(firstPage({ ...file, range }, filter));
  const split = splitter(followed.line, file.run);
  split(rest);
  while (!signal.aborted) {
    await pause(clock, signal);
    if (!signal.aborted) split(tail.next());
  }
}

/** Lines of bytes as they come. Those of another run of the same log are left out. */
function splitter(line: (text: string) => void, run: number | undefined): (bytes: Buffer) => void {
  const decoder = new StringDecoder("utf8");
  let open = "";
  let mine = true;
  return (bytes) => {
    const parts = `${open}${decoder.write(bytes)}`.split("\n");
    open = parts.pop() ?? "";
    if (open.length > LONGEST_LINE) {
      parts.push(open);
      open = "";
    }
    for (const text of parts) {
      const head = run === undefined ? undefined : /^=== run (\d+) profile=.* ===$/.exec(text)?.[1];
      if (head !== undefined) mine = Number(head) === run;
      if (mine) line(text);
    }
  };
}

async function followProcess({ parties, clock, filter, signal, begin, line }: Followed): Promise<void> {
  const { process } = filter;
  if (process === undefined) return begin({ lines: [], before: null, exists: false });
  const output = () => parties.processLog(process.session as SessionId, process.id); // proved by the look-up
  let seen = await output();
  const whole = seen.lastIndexOf("\n") + 1;
  begin({
    lines: seen.slice(0, whole).split("\n").slice(0, -1).filter(logMatcher(filter)),
    before: null,
    exists: true,
  });
  const split = splitter(line, undefined);
  split(Buffer.from(seen.slice(whole)));
  while (!signal.aborted) {
    await pause(clock, signal);
    if (signal.aborted) return;
    const now = await output();
    if (now !== seen) split(Buffer.from(addedTo(seen, now)));
    seen = now;
  }
}

const OVERLAP = 2_000;

/** What has been added to an output that loses its beginning while it grows. */
function addedTo(before: string, now: string): string {
  if (now.startsWith(before)) return now.slice(before.length);
  const end = before.slice(-OVERLAP);
  const at = now.lastIndexOf(end);
  return at < 0 ? now : now.slice(at + end.length);
}

async function pause(clock: Clock, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(LOOK, signal);
  } catch (error) {
    if (!signal.aborted) throw error; // the reader has gone
  }
}
