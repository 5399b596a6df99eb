import type { Endpoint } from "../../http/endpoint.js";
import { CRON_ENDPOINTS } from "../api/cron/jobs.js";
import { ACTION_ENDPOINTS } from "../api/ops/actions.js";
import { LOG_ENDPOINTS } from "../api/ops/logs.js";
import { LOOK_ENDPOINTS } from "../api/ops/looks.js";
import { LISTED_SESSION_ENDPOINTS } from "../api/sessions/listed.js";
import { MANY_SESSION_ENDPOINTS } from "../api/sessions/many.js";
import { ONE_SESSION_ENDPOINTS } from "../api/sessions/one.js";
import { AUXILIARY_ENDPOINTS } from "../api/settings/auxiliary.js";
import { SETTINGS_ENDPOINTS } from "../api/settings/config.js";
import { CREDENTIAL_ENDPOINTS } from "../api/settings/credentials.js";
import { ENV_ENDPOINTS } from "../api/settings/env.js";
import { MCP_ENDPOINTS } from "../api/settings/mcp.js";
import { MEMORY_ENDPOINTS } from "../api/settings/memory.js";
import { MODEL_ENDPOINTS } from "../api/settings/models.js";
import { OAUTH_ENDPOINTS } from "../api/settings/oauth.js";
import { API_PROFILE_ENDPOINTS } from "../api/settings/profiles.js";
import { SKILL_ENDPOINTS } from "../api/settings/skills.js";
import { TOOL_ENDPOINTS } from "../api/settings/tools.js";
import { CURATOR_ENDPOINTS } from "../api/skills/curator.js";
import type { DashboardParts } from "../core/parts.js";

const BASE = "/api";

/** Families of features that there are. Their paths begin behind the base. */
const FAMILIES: readonly (readonly Endpoint<DashboardParts>[])[] = [
  LISTED_SESSION_ENDPOINTS,
  MANY_SESSION_ENDPOINTS,
  ONE_SESSION_ENDPOINTS,
  SETTINGS_ENDPOINTS,
  SKILL_ENDPOINTS,
  ENV_ENDPOINTS,
  MODEL_ENDPOINTS,
  AUXILIARY_ENDPOINTS,
  CREDENTIAL_ENDPOINTS,
  OAUTH_ENDPOINTS,
  API_PROFILE_ENDPOINTS,
  TOOL_ENDPOINTS,
  MCP_ENDPOINTS,
  MEMORY_ENDPOINTS,
  CURATOR_ENDPOINTS,
  CRON_ENDPOINTS,
  ACTION_ENDPOINTS,
  LOOK_ENDPOINTS,
  LOG_ENDPOINTS,
];

/** The program's own features over REST, each with its whole path. */
export const API_ENDPOINTS: readonly Endpoint<DashboardParts>[] = FAMILIES.flat().map((endpoint) => ({
  ...endpoint,
  path: `${BASE}${endpoint.path}`,
}));
