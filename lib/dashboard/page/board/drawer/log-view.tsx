import { useEffect, useRef, useState } from "preact/hooks";
import { useTail } from "../../logs/use-tail.js";
import { useServices } from "../../services.js";
import { size } from "../../words/amounts.js";
import { useBoardState } from "../board-context.js";
import { useOpenTask } from "./drawer-context.js";
import type { TaskLog } from "./types.js";

/** The end of the worker's log; of one that works, what it writes as it writes it. */
export function LogView() {
  const { page } = useOpenTask();
  const run = page.task.current_run_id;
  return run === null ? <Stored /> : <Live key={run} run={run} />;
}

function Stored() {
  const { calls, page } = useOpenTask();
  const { failed } = useServices();
  const [log, setLog] = useState<TaskLog | undefined>(undefined);
  useEffect(() => {
    calls.log().then(setLog, failed);
  }, [calls, page.task.version]);
  if (log === undefined) return <p class="soft">Reading…</p>;
  if (!log.exists) return <p class="soft">No worker output yet.</p>;
  return (
    <>
      <LogText text={log.content} />
      <p class="soft">
        {size(log.size_bytes)}
        {log.truncated && ", the last 100 KB are shown"}
      </p>
    </>
  );
}

/** Characters of a live log that are shown: a field of more is slow to change. */
const SHOWN_CHARS = 100 << 10;

function Live({ run }: { run: number }) {
  const { id } = useOpenTask();
  const board = useBoardState((state) => state.board);
  const { tail } = useTail({ source: "run", run: { board, task: id, id: run } });
  if (tail.phase === "failed") return <p class="problem">{tail.problem}</p>;
  if (tail.phase === "reading") return <p class="soft">Reading…</p>;
  if (tail.lines.length === 0) return <p class="soft">Run {run} has no output yet.</p>;
  return (
    <>
      <LogText text={tail.lines.join("\n").slice(-SHOWN_CHARS)} />
      <p class="soft">Run {run}, as it writes.</p>
    </>
  );
}

/** A field can be reached and scrolled by keys everywhere, a box that scrolls can not. Who has scrolled up stays there. */
function LogText({ text }: { text: string }) {
  const box = useRef<HTMLTextAreaElement>(null);
  const end = useRef(true);
  useEffect(() => {
    if (box.current && end.current) box.current.scrollTop = box.current.scrollHeight;
  }, [text]);
  return (
    <textarea
      ref={box}
      class="log"
      readOnly
      rows={Math.min(18, Math.max(4, text.split("\n", 18).length + 1))}
      aria-label="Log of the worker"
      value={text}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        end.current = scrollHeight - scrollTop - clientHeight < 30;
      }}
    />
  );
}
