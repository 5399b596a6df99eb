import type { WorkspaceState } from "../../../contracts/board/workspace.js";

/** Mark behind a path where nothing is any more. */
export const markMissing = ({ path, exists }: WorkspaceState): string => (path !== null && !exists ? " (missing)" : "");

/** State of a worktree in one line; null for anything else. */
export function changesText(state: WorkspaceState): string | null {
  if (state.kind !== "worktree" || state.head === null) return null;
  const { ahead, dirty, merged, files_changed: files, insertions, deletions, base_commit: base } = state;
  return [
    `${ahead ?? "?"} commit(s) since ${(base ?? "?").slice(0, 10)}`,
    ...(files === null ? [] : [`${files} file(s) +${insertions ?? 0} -${deletions ?? 0}`]),
    ...(dirty === true ? ["uncommitted changes"] : []),
    ...(merged === true && ahead !== 0 ? ["merged"] : []),
  ].join(", ");
}
