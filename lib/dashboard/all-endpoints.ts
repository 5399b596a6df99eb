import type { Endpoint } from "../http/endpoint.js";
import type { DashboardParts } from "./core/parts.js";
import { API_ENDPOINTS } from "./endpoints/api-endpoints.js";
import { AUTH_ENDPOINTS } from "./endpoints/auth-endpoints.js";
import { HUB_ENDPOINTS } from "./endpoints/hub-endpoints.js";
import { KANBAN_ENDPOINTS } from "./endpoints/kanban-endpoints.js";
import { openapiEndpoint } from "./endpoints/openapi-endpoint.js";
import { PASSWORD_ENDPOINTS } from "./endpoints/password-endpoints.js";
import { PLUGIN_ENDPOINTS } from "./endpoints/plugin-endpoints.js";
import { PROTOCOL_ENDPOINT } from "./endpoints/protocol-endpoint.js";
import { STATUS_ENDPOINT } from "./endpoints/status-endpoint.js";
import { THEME_ENDPOINTS } from "./endpoints/theme-endpoints.js";
import { BOARD_STREAM_ENDPOINT } from "./live/board-stream.js";

/** The largest JSON body of the board plugin (board part, 14.1). */
const KANBAN_BODY_MAX = 1 << 20;

/** Everything that the dashboard serves beside its page. */
export const DASHBOARD_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  STATUS_ENDPOINT,
  openapiEndpoint(() => DASHBOARD_ENDPOINTS),
  PROTOCOL_ENDPOINT,
  ...AUTH_ENDPOINTS,
  ...PASSWORD_ENDPOINTS,
  ...HUB_ENDPOINTS,
  ...PLUGIN_ENDPOINTS,
  ...THEME_ENDPOINTS,
  ...API_ENDPOINTS,
  BOARD_STREAM_ENDPOINT,
  ...KANBAN_ENDPOINTS.map((endpoint) => ({ ...endpoint, maxBody: endpoint.maxBody ?? KANBAN_BODY_MAX })),
];
