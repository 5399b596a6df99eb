import { useState } from "preact/hooks";
import type { BoardEvent } from "../../../../contracts/board/board.js";
import { formatInstant, formatRelativeTime } from "../../words/time.js";
import { useOpenTask } from "./drawer-context.js";

const PAGE = 30;

/** What happened to the task, the newest first, a page at a time. */
export function EventList() {
  const { page } = useOpenTask();
  const [shown, setShown] = useState(PAGE);
  const events = page.events.toReversed();
  return (
    <>
      <ol class="events">
        {events.slice(0, shown).map((event) => (
          <EventRow key={event.id} event={event} />
        ))}
      </ol>
      {events.length > shown && (
        <button type="button" class="small" onClick={() => setShown(shown + PAGE)}>
          Show older ({events.length - shown} more)
        </button>
      )}
    </>
  );
}

function EventRow({ event: { kind, actor, run_id, payload, created_at } }: { event: BoardEvent }) {
  const { now } = useOpenTask();
  const more = Object.keys(payload).length > 0;
  const line = (
    <>
      <strong>{kind.replaceAll("_", " ")}</strong>
      <span class="soft">
        {actor ?? "the board"}
        {run_id !== null && ` · run ${run_id}`} ·{" "}
        <time title={formatInstant(created_at)}>{formatRelativeTime(created_at, now())}</time>
      </span>
    </>
  );
  if (!more) return <li class="event">{line}</li>;
  return (
    <li class="event">
      <details>
        <summary>{line}</summary>
        <pre class="data">{JSON.stringify(payload, undefined, 2)}</pre>
      </details>
    </li>
  );
}
