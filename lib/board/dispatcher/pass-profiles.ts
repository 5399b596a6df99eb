import type { WorkerProfile, WorkerProfiles } from "../worker-process/worker-profile.js";
import type { DispatchSettings } from "./dispatcher-settings.js";
import type { Health } from "./health.js";

/** Profiles as one pass needs them; each is looked up once. */
export interface Resolver {
  find(name: string): Promise<WorkerProfile | undefined>;
  /** Who gets a ready task without an assignee (board part, 6.5). */
  defaultAssignee(): Promise<string>;
  isOrchestrator(name: string): Promise<boolean>;
  /** Report once a name that is set but unknown, before anything falls back on it. */
  warn(): Promise<void>;
}

export function createResolver(profiles: WorkerProfiles, settings: DispatchSettings, health: Health): Resolver {
  const known = new Map<string, WorkerProfile | undefined>();
  const find = async (name: string) => {
    if (!known.has(name)) known.set(name, await profiles.find(name));
    return known.get(name);
  };
  const resolved = async (key: string, name: string | undefined) => {
    if (name === undefined) return "default";
    if (await find(name)) return name;
    health.once(`${key}=${name}`, `${key}: unknown profile ${name}; using the default profile`);
    return "default";
  };
  const defaultAssignee = () => resolved("kanban.default_assignee", settings.defaultAssignee);
  const orchestrator = () => resolved("kanban.orchestrator_profile", settings.orchestrator);
  return {
    find,
    defaultAssignee,
    isOrchestrator: async (name) => name === (await orchestrator()),
    warn: async () => {
      await defaultAssignee();
      await orchestrator();
    },
  };
}
