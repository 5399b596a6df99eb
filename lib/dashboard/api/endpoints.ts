import type { Endpoint } from "../../http/endpoint.js";
import type { DashboardParts } from "../parts.js";
import { CRON_ENDPOINTS } from "./cron/jobs.js";
import { ACTION_ENDPOINTS } from "./ops/actions.js";
import { LOG_ENDPOINTS } from "./ops/logs.js";
import { LOOK_ENDPOINTS } from "./ops/looks.js";
import { LISTED_SESSION_ENDPOINTS } from "./sessions/listed.js";
import { MANY_SESSION_ENDPOINTS } from "./sessions/many.js";
import { ONE_SESSION_ENDPOINTS } from "./sessions/one.js";
import { AUXILIARY_ENDPOINTS } from "./settings/auxiliary.js";
import { SETTINGS_ENDPOINTS } from "./settings/config.js";
import { CREDENTIAL_ENDPOINTS } from "./settings/credentials.js";
import { ENV_ENDPOINTS } from "./settings/env.js";
import { MODEL_ENDPOINTS } from "./settings/models.js";
import { OAUTH_ENDPOINTS } from "./settings/oauth.js";
import { API_PROFILE_ENDPOINTS } from "./settings/profiles.js";
import { TOOL_ENDPOINTS } from "./settings/tools.js";

const BASE = "/api";

/** Families of features that there are. Their paths begin behind the base. */
const FAMILIES: readonly (readonly Endpoint<DashboardParts>[])[] = [
  LISTED_SESSION_ENDPOINTS,
  MANY_SESSION_ENDPOINTS,
  ONE_SESSION_ENDPOINTS,
  SETTINGS_ENDPOINTS,
  ENV_ENDPOINTS,
  MODEL_ENDPOINTS,
  AUXILIARY_ENDPOINTS,
  CREDENTIAL_ENDPOINTS,
  OAUTH_ENDPOINTS,
  API_PROFILE_ENDPOINTS,
  TOOL_ENDPOINTS,
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
