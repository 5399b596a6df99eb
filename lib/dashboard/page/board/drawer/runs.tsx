import { useState } from "preact/hooks";
import { useOpenTask } from "./drawer-context.js";
import { RunCard } from "./run-card.js";
import { newestFirst } from "./shown.js";

const SHOWN = 3;

/** Attempts at the task, the newest first; those before the last three are folded. */
export function RunList() {
  const { page } = useOpenTask();
  const [all, setAll] = useState(false);
  const runs = newestFirst(page.runs);
  const rest = runs.length - SHOWN;
  return (
    <>
      <ol class="runs">
        {(all ? runs : runs.slice(0, SHOWN)).map((run) => (
          <RunCard key={run.id} run={run} />
        ))}
      </ol>
      {runs.length === 0 && <p class="soft">No runs yet.</p>}
      {rest > 0 && (
        <button type="button" class="small" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? "Show the last three" : `Show ${rest} earlier`}
        </button>
      )}
    </>
  );
}
