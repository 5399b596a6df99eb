import { appendFileSync, chmodSync, existsSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { spellCharacter } from "../text/bidi.js";
import type { Clock } from "../time/clock.js";

export type LogSeverity = "debug" | "info" | "warning" | "error";
/** Ids, numbers and short words. Never headers, bodies, texts of messages or tokens. */
export type LogFacts = Readonly<Record<string, string | number | boolean | null | undefined>>;

export interface Log {
  debug(message: string, facts?: LogFacts): void;
  info(message: string, facts?: LogFacts): void;
  warning(message: string, facts?: LogFacts): void;
  error(message: string, facts?: LogFacts): void;
  /** The same log under another component name (`board`, `tools`, `cli`, ...). */
  child(component: string): Log;
}

export interface LogOptions {
  readonly dir: string;
  readonly clock: Clock;
  readonly level: LogSeverity;
  /** Removes secrets. Every line passes through it: a logger cannot be built without one. */
  readonly redact: (text: string) => string;
  /** Name of another file that lines of a component go to as well. */
  readonly alsoIn?: (component: string) => string | undefined;
  readonly maxBytes?: number;
  readonly backups?: number;
  /** Keep nothing on disk: the process only looks and leaves no trace. */
  readonly muted?: boolean;
  /** Sees every line that is kept, redacted, without its newline. */
  readonly onLine?: (line: string) => void;
}

const ORDER: Record<LogSeverity, number> = { debug: 0, info: 1, warning: 2, error: 3 };

/** Log to `agent.log` and, from warning up, `errors.log` in `dir` (part 70, 11). A full disk stops logging, not the program. */
export function createLog(options: LogOptions, component = "agent"): Log {
  const write = (level: LogSeverity, message: string, facts: LogFacts = {}) => {
    if (ORDER[level] < ORDER[options.level]) return;
    const line = options.redact(renderLine({ at: options.clock.now(), level, component, message, facts }));
    options.onLine?.(line.trimEnd());
    if (options.muted) return;
    append(options, "agent.log", line);
    if (ORDER[level] >= ORDER.warning) append(options, "errors.log", line);
    const also = options.alsoIn?.(component);
    if (also !== undefined) append(options, also, line);
  };
  return {
    debug: (message, facts) => write("debug", message, facts),
    info: (message, facts) => write("info", message, facts),
    warning: (message, facts) => write("warning", message, facts),
    error: (message, facts) => write("error", message, facts),
    child: (name) => createLog(options, name),
  };
}

/** A log whose making takes time, such as loading what removes secrets. Nothing is made before the first line. */
export interface LateLog extends Log {
  /** Resolves when every line so far is written. */
  flush(): Promise<void>;
}

export function lateLog(make: () => Promise<Log>): LateLog {
  let made: Promise<Log> | undefined;
  let tail: Promise<void> = Promise.resolve();
  const log = (component: string | undefined): Log => {
    const write = (level: LogSeverity) => (message: string, facts?: LogFacts) => {
      made ??= make();
      const mine = made;
      tail = tail.then(async () => {
        try {
          const real = await mine;
          (component === undefined ? real : real.child(component))[level](message, facts);
        } catch {
          /* ok to lose: a log that cannot be made must not take the program with it. */
        }
      });
    };
    return { debug: write("debug"), info: write("info"), warning: write("warning"), error: write("error"), child: log };
  };
  return { ...log(undefined), flush: () => tail };
}

const nothing = () => undefined;

/** A log that keeps nothing. */
export const silentLog: Log = {
  debug: nothing,
  info: nothing,
  warning: nothing,
  error: nothing,
  child: () => silentLog,
};

interface LogRecord {
  readonly at: number;
  readonly level: LogSeverity;
  readonly component: string;
  readonly message: string;
  readonly facts: LogFacts;
}

/** One record, ended by a newline. */
export function renderLine(record: LogRecord): string {
  const { at, level, component, message } = record;
  const { session, ...rest } = record.facts;
  const stamp = new Date(at).toISOString().replace("T", " ").replace(".", ",").slice(0, 23);
  const pairs = Object.entries(rest).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${String(value)}`],
  );
  const head = `${stamp} ${level.toUpperCase()} ${session === undefined ? "" : `[${String(session)}] `}${component}: `;
  return `${visible([`${head}${message}`, ...pairs].join(" "))}\n`;
}

/** Control characters spelled out, so that one record is one line and a terminal shows it as it is. */
function visible(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, spellCharacter);
}

function append(options: LogOptions, name: string, line: string): void {
  const path = join(options.dir, name);
  try {
    if (!existsSync(options.dir)) mkdirSync(options.dir, { recursive: true, mode: 0o700 });
    rotate(path, options.maxBytes ?? 5 << 20, options.backups ?? 3);
    appendFileSync(path, line, { mode: 0o600 });
  } catch {
    /* ok to lose: the disk is full or read-only, and a log that fails must not take the program with it. */
  }
}

function rotate(path: string, maxBytes: number, backups: number): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size < maxBytes) return;
  for (let n = backups - 1; n >= 1; n--) if (existsSync(`${path}.${n}`)) renameSync(`${path}.${n}`, `${path}.${n + 1}`);
  renameSync(path, `${path}.1`);
  chmodSync(`${path}.1`, 0o600);
}
