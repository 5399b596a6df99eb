import type { Endpoint } from "../../http/endpoint.js";
import type { KanbanParts } from "../parts.js";

/** Where the endpoints of the board plugin are mounted. */
export const KANBAN_BASE = "/api/plugins/kanban";

/** Every endpoint of the board plugin; its families stand in files of this folder. */
export const KANBAN_ENDPOINTS: readonly Endpoint<KanbanParts>[] = [];
