import { useLayoutEffect, useRef } from "preact/hooks";
import { readLine } from "./line.js";
import type { LogPage } from "./use-log.js";

/** More lines than these are scrolled on most screens. */
const MANY = 15;

/** Lines of a log, the newest at the end. Who is at the end stays there. */
export function LineList({ page: { lines, exists, more } }: { page: LogPage }) {
  const box = useRef<HTMLElement>(null);
  const end = useRef(true);
  useLayoutEffect(() => {
    if (end.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  if (!exists) return <p class="soft">Nothing was written into it yet.</p>;
  if (lines.length === 0) return <p class="soft">No line says that.</p>;
  return (
    <section
      ref={box}
      class="lines"
      aria-label="Lines"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        end.current = scrollHeight - scrollTop - clientHeight < 40;
      }}
    >
      {more && <p class="soft">Older lines are in the file; search finds them.</p>}
      <ol>
        {lines.map((line, at) => (
          <Line key={`${lines.length - at} ${line.slice(0, 40)}`} line={line} />
        ))}
      </ol>
      {lines.length > MANY && (
        <button type="button" class="small" onClick={() => box.current?.scrollTo({ top: 0 })}>
          To the first line
        </button>
      )}
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
