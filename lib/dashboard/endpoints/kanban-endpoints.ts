import type { Endpoint } from "../../http/endpoint.js";
import type { KanbanParts } from "../core/parts.js";
import { BOARD_ENDPOINTS } from "../kanban/boards/records.js";
import { BOARD_STATE_ENDPOINTS } from "../kanban/boards/states.js";
import { CONFIG_ENDPOINTS } from "../kanban/config.js";
import { DISPATCH_ENDPOINTS } from "../kanban/dispatch.js";
import { EXPLAINED_ENDPOINTS } from "../kanban/explained.js";
import { HOME_CHANNEL_ENDPOINTS } from "../kanban/home-channels.js";
import { ORCHESTRATION_ENDPOINTS } from "../kanban/orchestration.js";
import { PROFILE_ENDPOINTS } from "../kanban/profiles.js";
import { KANBAN_BASE } from "../kanban/request/base.js";
import { ACTIVE_ENDPOINTS } from "../kanban/runs/active.js";
import { RUN_ENDPOINTS } from "../kanban/runs/runs.js";
import { TASK_ENDPOINTS } from "../kanban/tasks/tasks.js";

/** The families of the board plugin. Their paths begin behind the base. */
const FAMILIES: readonly (readonly Endpoint<KanbanParts>[])[] = [
  TASK_ENDPOINTS,
  BOARD_ENDPOINTS,
  BOARD_STATE_ENDPOINTS,
  RUN_ENDPOINTS,
  ACTIVE_ENDPOINTS,
  DISPATCH_ENDPOINTS,
  EXPLAINED_ENDPOINTS,
  CONFIG_ENDPOINTS,
  HOME_CHANNEL_ENDPOINTS,
  PROFILE_ENDPOINTS,
  ORCHESTRATION_ENDPOINTS,
];

/** Every endpoint of the board plugin, with its whole path. */
export const KANBAN_ENDPOINTS: readonly Endpoint<KanbanParts>[] = FAMILIES.flat().map((endpoint) => ({
  ...endpoint,
  path: `${KANBAN_BASE}${endpoint.path}`,
}));
