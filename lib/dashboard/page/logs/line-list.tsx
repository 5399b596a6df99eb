import { useLayoutEffect, useRef } from "preact/hooks";
import { useServices } from "../services.js";
import { readLine } from "./line.js";
import type { Tail } from "./tail.js";

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
  if (!exists) return <p class="soft">Nothing was written into it yet.</p>;
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
        <p class="soft">{lines.length === 0 ? "No line says that." : "The log begins here."}</p>
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
