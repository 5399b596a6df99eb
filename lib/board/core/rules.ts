import { AppError } from "../../base/errors.js";
import type { Core } from "./core.js";
import { orchestrator } from "./routing.js";
import { boardTools } from "./tool-rules.js";

/** Board tools of a worker of this profile (board part, 17.1). Every surface of a worker follows them. */
export const workerTools = (core: Core, profile: string): readonly string[] =>
  boardTools({ worker: { profile }, toolsets: [], config: core.config, orchestrator: orchestrator(core) });

/** A worker makes and links tasks only where the configuration lets its profile. @throws E_NOT_OWNER */
export function mayExtend(core: Core, profile: string, tool: "kanban_create" | "kanban_link"): void {
  if (workerTools(core, profile).includes(tool)) return;
  const hint = "suggest the follow-up work in your summary";
  throw new AppError("E_NOT_OWNER", `a worker may not ${tool === "kanban_create" ? "create" : "link"} tasks here`, {
    hint,
  });
}
