import type { Config } from "../../contracts/config/config.js";
import { KANBAN } from "./keys.js";

const WORKER = ["kanban_show", "kanban_complete", "kanban_block", "kanban_comment", "kanban_heartbeat"] as const;
const SESSION = ["kanban_show", "kanban_create", "kanban_link", "kanban_list", "kanban_unblock"] as const;

/** Which board tools a conversation has (board part, 17.1). Pure. */
export function boardTools(of: {
  /** Profile of the worker; undefined in a chat session. */
  readonly worker: { readonly profile: string } | undefined;
  /** Toolsets of the session. */
  readonly toolsets: readonly string[];
  readonly config: Config;
  /** The resolved orchestrator profile. */
  readonly orchestrator: string;
}): readonly string[] {
  if (of.worker === undefined) return of.toolsets.includes("kanban") ? SESSION : [];
  const rule = of.config.get(KANBAN.workerCanCreate);
  if (rule === "true") return [...WORKER, "kanban_create", "kanban_link"];
  if (rule === "orchestrator" && of.worker.profile === of.orchestrator)
    return [...WORKER, "kanban_create", "kanban_link", "kanban_list"];
  return WORKER;
}
