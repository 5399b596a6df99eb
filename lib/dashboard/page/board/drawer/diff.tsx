import { useState } from "preact/hooks";
import { useServices } from "../../services.js";
import { DiffText } from "../../shell/diff-text.js";
import { useOpenTask } from "./drawer-context.js";

/** What a worktree has that its base has not, line by line. Read when asked for. */
export function Diff() {
  const { calls } = useOpenTask();
  const { failed } = useServices();
  const [read, setRead] = useState<{ readonly diff: string; readonly truncated: boolean } | undefined>(undefined);
  const look = (): void => {
    calls.diff().then(setRead, failed);
  };
  return (
    <>
      <div class="buttons">
        <button type="button" class="small" onClick={look}>
          {read === undefined ? "Show the changes" : "Look again"}
        </button>
      </div>
      {read !== undefined &&
        (read.diff === "" ? <p class="soft">Nothing was changed.</p> : <DiffText text={read.diff} />)}
      {read?.truncated && <p class="soft">Truncated: agent kanban diff shows everything.</p>}
    </>
  );
}
