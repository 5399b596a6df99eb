import type { WorkspaceApi } from "../../contracts/board/workspace.js";
import type { Core } from "../core/core.js";
import { readTask } from "../core/core.js";
import { diff } from "./diff.js";
import { readWorkspaceState } from "./state.js";

/** What the board answers about workspaces. */
export const createWorkspaceApi = (core: Core): WorkspaceApi => ({
  workspace: async (board, id) => readWorkspaceState(core, await readTask(core, board, id)),
  diff: (board, id, signal) => diff(core, board, id, signal),
});
