import { useEffect, useState } from "preact/hooks";
import { useServices } from "../../services.js";
import { size } from "../../words/amounts.js";
import { Diff } from "./diff.js";
import { useOpenTask } from "./drawer-context.js";
import type { WorkspaceState } from "./types.js";

/** State of the workspace now, and what was changed in it. */
export function WorkspacePart() {
  const { calls, page } = useOpenTask();
  const { failed } = useServices();
  const [state, setState] = useState<WorkspaceState | undefined>(undefined);
  useEffect(() => {
    calls.workspace().then(setState, failed);
  }, [calls, page.task.version]);
  if (state === undefined) return <p class="soft">Looking…</p>;
  return (
    <>
      <dl class="properties">
        {rowsOf(state).map(([name, value]) => (
          <div key={name} class="property">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {state.kind === "worktree" && state.exists && <Diff />}
    </>
  );
}

function rowsOf(state: WorkspaceState): readonly (readonly [name: string, value: string])[] {
  const rows: readonly (readonly [name: string, value: string | null])[] = [
    ["Kind", state.kind],
    [
      "Directory",
      state.path === null ? "created at the first start" : `${state.path}${state.exists ? "" : " (missing)"}`,
    ],
    ["Size", state.size_bytes === null ? null : size(state.size_bytes)],
    ["Branch", state.branch],
    ["Commits ahead", state.ahead === null ? null : String(state.ahead)],
    ["Uncommitted", state.dirty === null ? null : state.dirty ? "yes" : "nothing"],
    ["Merged", state.merged === null ? null : state.merged ? "yes" : "no"],
    [
      "Changed",
      state.files_changed === null
        ? null
        : `${state.files_changed} files, +${state.insertions ?? 0} −${state.deletions ?? 0}`,
    ],
  ];
  return rows.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}
