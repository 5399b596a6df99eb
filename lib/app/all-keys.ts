import { LSP_KEYS } from "../../adapters/lsp/keys.js";
import { BOARD_KEYS } from "../board/core/keys.js";
import { DISPATCHER_KEYS } from "../board/dispatcher/dispatcher-settings.js";
import { CHAT_KEYS } from "../chat/config/keys.js";
import { LANE_KEYS } from "../chat/config/lane-keys.js";
import { SESSION_KEYS } from "../chat/config/session-keys.js";
import { CHECKPOINT_KEYS } from "../checkpoints/keys.js";
import { COMMAND_KEYS } from "../commands/command-keys.js";
import { DISPLAY_KEYS } from "../config/display-keys.js";
import { OWNER_KEYS } from "../config/owner-keys.js";
import type { ConfigKey } from "../contracts/config/config.js";
import { POOL_KEYS } from "../contracts/models/pool-keys.js";
import { DASHBOARD_KEYS } from "../dashboard/access/keys.js";
import { KANBAN_PAGE_KEYS } from "../dashboard/kanban/keys.js";
import { PLUGIN_KEYS } from "../dashboard/plugins/keys.js";
import { ACCESS_KEYS } from "../gateway/settings/access-keys.js";
import { CRON_KEYS } from "../gateway/settings/cron-keys.js";
import { GATEWAY_KEYS } from "../gateway/settings/gateway-keys.js";
import { MEDIA_KEYS } from "../gateway/settings/media-keys.js";
import { TURN_KEYS } from "../gateway/settings/turn-keys.js";
import { LOGIN_KEYS } from "../logins/core/keys.js";
import { MODEL_KEYS } from "../models/keys.js";
import { PROXY_KEYS } from "../proxy/settings.js";
import { SAFETY_KEYS } from "../safety/config/keys.js";
import { TOOL_KEYS } from "../tools/core/keys.js";

/** Every configuration key of the product, in the order in which they are shown. */
export const ALL_KEYS: readonly ConfigKey<unknown>[] = [
  ...MODEL_KEYS,
  ...POOL_KEYS,
  ...LOGIN_KEYS,
  ...CHAT_KEYS,
  ...COMMAND_KEYS,
  ...LANE_KEYS,
  ...SESSION_KEYS,
  ...TOOL_KEYS,
  ...SAFETY_KEYS,
  ...CHECKPOINT_KEYS,
  ...LSP_KEYS,
  ...BOARD_KEYS,
  ...DISPATCHER_KEYS,
  ...KANBAN_PAGE_KEYS,
  ...OWNER_KEYS,
  ...DISPLAY_KEYS,
  ...DASHBOARD_KEYS,
  ...PLUGIN_KEYS,
  ...PROXY_KEYS,
  ...GATEWAY_KEYS,
  ...MEDIA_KEYS,
  ...ACCESS_KEYS,
  ...TURN_KEYS,
  ...CRON_KEYS,
];
