import type { Core } from "./core.js";
import { KANBAN } from "./keys.js";

/** Who gets a task without an assignee, or with an unknown one (board part, 6.5). */
export const defaultAssignee = (core: Core): string => resolved(core, core.config.get(KANBAN.defaultAssignee));

/** Who works on the root of a decomposition. */
export const orchestrator = (core: Core): string => resolved(core, core.config.get(KANBAN.orchestratorProfile));

/** A set but missing profile falls back; the dispatcher warns of it. */
function resolved(core: Core, name: string): string {
  const wanted = name.trim().toLowerCase();
  return wanted !== "" && core.profiles.exists(wanted) ? wanted : "default";
}

/** The profile that a model means, or undefined. */
export function onRoster(core: Core, given: string): string | undefined {
  const name = given.trim().replace(/^@/, "").toLowerCase();
  return name !== "" && core.profiles.exists(name) ? name : undefined;
}
