import type { Endpoint } from "../http/endpoint.js";
import { KANBAN_ENDPOINTS } from "./kanban/endpoints.js";
import type { DashboardParts } from "./parts.js";

/** Everything that the dashboard serves beside its page. */
export const DASHBOARD_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [...KANBAN_ENDPOINTS];
