import { writeFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { inspect } from "node:util";

const SLOWEST = 10;

interface Failure {
  readonly path: readonly string[];
  readonly file: string;
  readonly error: unknown;
}

/** A line for each failure as it happens; at the end the failures in full, the slowest files and the closing lines of the runner itself. */
export default async function* report(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const failures: Failure[] = [];
  const times = new Map<string, number>();
  const names = new Set<string>();
  const closing: string[] = [];
  const path: string[] = [];
  const begun: string[] = [];
  for await (const event of source) {
    if (event.type === "test:dequeue" && !isWholeFile(event.data))
      begun.splice(event.data.nesting, begun.length, event.data.name);
    if (event.type === "test:start") path.splice(event.data.nesting, path.length, event.data.name);
    if (event.type === "test:pass" || event.type === "test:fail") {
      note(event, times);
      names.add(event.data.name);
    }
    if (event.type === "test:fail" && !isEcho(event.data.details.error)) {
      const failure: Failure = {
        path: isWholeFile(event.data)
          ? [event.data.name, ...begun]
          : [...path.slice(0, event.data.nesting), event.data.name],
        file: event.data.file ?? "",
        error: event.data.details.error,
      };
      failures.push(failure);
      yield `failed: ${failure.path.join(" > ")}\n`;
    }
    if (event.type === "test:diagnostic" && event.data.nesting === 0 && isClosing(event.data.message))
      closing.push(`# ${event.data.message}`);
    if (event.type === "test:stderr" || event.type === "test:stdout") yield event.data.message;
  }
  yield* failures.map(renderFailure);
  yield* renderSlowest(times);
  writeTimes(times);
  writeNames(names);
  yield `${closing.join("\n")}\n`;
}

/** The runner's own entry for a file. It fails when the process ended before its tests: the one that began last is what its reader looks for. */
const isWholeFile = ({ name, file }: { readonly name: string; readonly file?: string }) =>
  file !== undefined && resolve(name) === file;

/** The runner counts a suite as failed when something inside it failed; that is said already. */
function isEcho(error: unknown): boolean {
  return error instanceof Error && "failureType" in error && error.failureType === "subtestsFailed";
}

const CLOSING = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /;
const isClosing = (message: string) => CLOSING.test(message);

/** Each source file is one suite at the top; its time is the time of the file. */
function note(event: Extract<TestEvent, { type: "test:pass" | "test:fail" }>, times: Map<string, number>): void {
  if (event.data.nesting === 0) times.set(event.data.name, event.data.details.duration_ms);
}

function renderFailure(failure: Failure): string {
  const where = failure.file === "" ? "" : ` (${relative(process.cwd(), failure.file)})`;
  return `\nFAILED ${failure.path.join(" > ")}${where}\n${indent(describeError(failure.error))}\n`;
}

/** The runner wraps what a test threw; the cause is what the reader needs. */
function describeError(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (!(cause instanceof Error)) return typeof cause === "string" ? cause : inspect(cause);
  const own = cause.stack ?? cause.message;
  return own.includes(cause.message) ? own : `${cause.message}\n${own}`;
}

const indent = (text: string) => text.replaceAll(/^/gm, "  ");

/** Write the milliseconds of each file, the slowest first, to find what slows a tier down. */
function writeTimes(times: ReadonlyMap<string, number>): void {
  const path = process.env["AGENT_TEST_TIMES"];
  if (path === undefined) return;
  const lines = [...times].toSorted(([, a], [, b]) => b - a).map(([name, ms]) => `${Math.round(ms)} ${name}\n`);
  writeFileSync(path, lines.join(""));
}

/** Write the names of all tests that were seen, also of those that the pattern left out. */
function writeNames(names: ReadonlySet<string>): void {
  const path = process.env["AGENT_TEST_NAMES"];
  if (path !== undefined) writeFileSync(path, JSON.stringify([...names]));
}

function* renderSlowest(times: ReadonlyMap<string, number>): Generator<string> {
  const slowest = [...times].toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST);
  if (slowest.length > 0) yield "\nslowest files:\n";
  for (const [name, time] of slowest) yield `${String(Math.round(time)).padStart(7)} ms  ${name}\n`;
  yield "\n";
}
