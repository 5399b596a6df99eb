import { useState } from "preact/hooks";
import { useServices } from "../../services.js";
import { useOpenTask } from "./drawer-context.js";

/** What a worktree has that its base has not, line by line. Read when somebody asks for it. */
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
      {read?.truncated && <p class="soft">There is more than is shown here: agent kanban diff shows all of it.</p>}
    </>
  );
}

/** Lines that are shown: more than anybody reads here, few enough for a browser. */
const LINES = 4_000;

/** A diff as git writes it, each line in the look of what it does. */
export function DiffText({ text }: { text: string }) {
  const lines = text.replace(/\n$/, "").split("\n");
  return (
    <pre class="diff">
      {lines.slice(0, LINES).map((line, at) => (
        <span key={`${at} ${line.slice(0, 20)}`} class={lookOf(line)}>
          {line}
          {"\n"}
        </span>
      ))}
      {lines.length > LINES && <span class="soft">and {lines.length - LINES} more lines</span>}
    </pre>
  );
}

function lookOf(line: string): string | undefined {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("diff ") || line.startsWith("index "))
    return "diff-head";
  if (line.startsWith("@@")) return "diff-place";
  if (line.startsWith("+")) return "diff-added";
  return line.startsWith("-") ? "diff-removed" : undefined;
}
