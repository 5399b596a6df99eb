import { useLayoutEffect, useRef } from "preact/hooks";
import { useServices } from "../services.js";
import type { ShownLevel } from "./names.js";
import type { Tail } from "./tail.js";

/** A line of a log, taken apart for its look. */
export interface LogLine {
  readonly level: ShownLevel | undefined;
  /** Time, level and part of the program; empty for a line that is not a record. */
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

interface ListProps {
  tail: Tail;
  readOlder(): Promise<void>;
}

/** Lines of a log, the newest at the end. Who is at the end stays there. */
export function LineList({ tail: { phase, problem, lines, exists, before }, readOlder }: ListProps) {
  const { failed } = useServices();
  const box = useRef<HTMLElement>(null);
  const end = useRef(true);
  useLayoutEffect(() => {
    if (end.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  if (phase === "failed") return <p class="problem">{problem}</p>;
  if (phase === "reading") return <p class="soft">Reading…</p>;
  if (!exists) return <p class="soft">The log is empty.</p>;
  return (
    <section
      ref={box}
      class="lines"
      aria-label="Lines"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        end.current = scrollHeight - scrollTop - clientHeight < 40;
      }}
    >
      {before === null ? (
        <p class="soft">{lines.length === 0 ? "No matching lines." : "Start of the log."}</p>
      ) : (
        <button type="button" class="small" onClick={() => readOlder().catch(failed)}>
          Read older lines
        </button>
      )}
      <ol>
        {lines.map((line, at) => (
          <Line key={`${lines.length - at} ${line.slice(0, 40)}`} line={line} />
        ))}
      </ol>
      <button type="button" class="small" onClick={() => box.current?.scrollTo({ top: 0 })}>
        To the first line
      </button>
    </section>
  );
}

function Line({ line }: { line: string }) {
  const { level, head, text } = readLine(line);
  return (
    <li class={level === undefined ? undefined : `line-${level}`}>
      {head !== "" && <span class="soft">{head} </span>}
      {text}
    </li>
  );
}
