import { useEffect, useRef, useState } from "preact/hooks";
import { useServices } from "../../services.js";
import { size } from "../../words/amounts.js";
import { useOpenTask } from "./drawer-context.js";
import type { TaskLog } from "./types.js";

/** The end of the worker's log; while it works, what it adds. */
export function LogView() {
  const { calls, page } = useOpenTask();
  const { failed } = useServices();
  const [log, setLog] = useState<TaskLog | undefined>(undefined);
  const box = useRef<HTMLTextAreaElement>(null);
  const stuck = useRef(true);
  useEffect(() => {
    calls.log().then(setLog, failed);
  }, [calls, page]);
  useEffect(() => {
    // Who has scrolled up reads: the view stays there.
    if (box.current && stuck.current) box.current.scrollTop = box.current.scrollHeight;
  }, [log]);
  if (log === undefined) return <p class="soft">Reading…</p>;
  if (!log.exists) return <p class="soft">No worker has written anything yet.</p>;
  return (
    <>
      {/* A field can be reached and scrolled by keys everywhere, a box that scrolls can not. */}
      <textarea
        ref={box}
        class="log"
        readOnly
        rows={18}
        aria-label="Log of the worker"
        value={log.content}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          stuck.current = scrollHeight - scrollTop - clientHeight < 30;
        }}
      />
      <p class="soft">
        {size(log.size_bytes)}
        {log.truncated && ", the last 100 KB are shown"}
      </p>
    </>
  );
}
