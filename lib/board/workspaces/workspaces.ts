import type { WorkspaceApi } from "../../proto/board-workspace.js";
import type { Core } from "../core.js";
import { readTask } from "../core.js";
import { diff } from "./diff.js";
import { workspaceState } from "./state.js";

/** What the board answers about workspaces. */
export const workspaces = (core: Core): WorkspaceApi => ({
  workspace: async (board, id) => workspaceState(core, await readTask(core, board, id)),
  diff: (board, id, signal) => diff(core, board, id, signal),
});
