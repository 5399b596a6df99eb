import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useId, useMemo, useRef } from "preact/hooks";
import { around, type GraphTask } from "./around.js";
import { BOX, layOutGraph, neighbour, type Placed } from "./layout.js";

interface GraphProps {
  task: GraphTask;
  find(id: string): GraphTask | undefined;
  /** Address of a task. */
  href(id: string): string;
}

/** What a task waits for and what waits for it, as boxes and lines. Each box is a link; arrow keys lead from box to box. */
export function Graph({ task, find, href }: GraphProps) {
  const near = useMemo(() => around(task, find), [task, find]);
  const drawn = useMemo(() => layOutGraph(near.spots, near.edges), [near]);
  const ref = useRef<SVGSVGElement>(null);
  const scroll = useRef<HTMLDivElement>(null);
  const arrow = `arrow-${useId()}`;
  useEffect(() => {
    const here = drawn.spots.find(({ id }) => id === task.id);
    const box = scroll.current;
    if (here && box) box.scrollLeft = here.x + BOX.width / 2 - box.clientWidth / 2;
  }, [drawn, task.id]);
  const onKeyDown = (event: TargetedKeyboardEvent<SVGSVGElement>): void => {
    const from = document.activeElement?.getAttribute("data-spot") ?? "";
    const to = neighbour(drawn, from, event.key);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    ref.current?.querySelector<SVGAElement>(`[data-spot="${CSS.escape(to)}"]`)?.focus();
  };
  return (
    <figure class="graph">
      <div ref={scroll} class="graph-scroll">
        <svg
          ref={ref}
          width={drawn.width}
          height={drawn.height}
          viewBox={`0 0 ${drawn.width} ${drawn.height}`}
          onKeyDown={onKeyDown}
        >
          <title>{`Dependencies of ${task.id}: ${near.spots.length} tasks, ${near.edges.length} links`}</title>
          <defs>
            <marker id={arrow} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path d="M0 0.5 7 4 0 7.5Z" class="graph-arrow" />
            </marker>
          </defs>
          {drawn.lines.map(({ parent, child, path }) => (
            <path key={`${parent} ${child}`} class="graph-line" d={path} marker-end={`url(#${arrow})`} />
          ))}
          {drawn.spots.map((spot) => (
            <Box key={spot.id} spot={spot} href={href(spot.id)} here={spot.id === task.id} />
          ))}
        </svg>
      </div>
      {near.more > 0 && (
        <figcaption class="soft">{`${near.more} more tasks are further away and not drawn.`}</figcaption>
      )}
    </figure>
  );
}

const TITLE_CHARS = 19;
const cut = (text: string): string => (text.length > TITLE_CHARS ? `${text.slice(0, TITLE_CHARS - 1)}…` : text);

function Box({ spot, href, here }: { spot: Placed; href: string; here: boolean }) {
  const { id, title, status, x, y } = spot;
  return (
    <a
      href={href}
      data-spot={id}
      class={`graph-box ${here ? "graph-here" : ""}`}
      aria-current={here ? "true" : undefined}
    >
      <title>{title === "" ? id : `${title} (${id})`}</title>
      <rect x={x} y={y} width={BOX.width} height={BOX.height} rx="6" />
      <circle class={`status-dot status-${status ?? "unknown"}`} cx={x + 14} cy={y + 15} r="4" />
      <text x={x + 25} y={y + 19}>
        {cut(title === "" ? id : title)}
      </text>
      <text x={x + 25} y={y + 35} class="graph-id">
        {status === undefined ? id : `${id} · ${status}`}
      </text>
    </a>
  );
}
