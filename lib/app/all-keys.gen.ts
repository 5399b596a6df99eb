// Written by `make index`. Do not edit.
import { LSP_KEYS } from "../../adapters/lsp/keys.js";
import { SEARCH_KEYS } from "../../adapters/search/keys.js";
import { BOARD_KEYS } from "../board/core/keys.js";
import { DISPATCHER_KEYS } from "../board/dispatcher/dispatcher-settings.js";
import { BUSY_KEYS } from "../chat/config/busy-keys.js";
import { CHAT_KEYS } from "../chat/config/keys.js";
import { SESSION_KEYS } from "../chat/config/session-keys.js";
import { REVIEW_KEYS } from "../chat/review/keys.js";
import { CHECKPOINT_KEYS } from "../checkpoints/keys.js";
import { COMMAND_KEYS } from "../commands/command-keys.js";
import { DISPLAY_KEYS } from "../config/display-keys.js";
import { OWNER_KEYS } from "../config/owner-keys.js";
import { BROWSER_KEYS } from "../contracts/browser/keys.js";
import { DESKTOP_KEYS } from "../contracts/desktop/keys.js";
import { MCP_KEYS } from "../contracts/mcp/keys.js";
import { HEARING_KEYS } from "../contracts/media/hearing.js";
import { MEDIA_TOOL_KEYS } from "../contracts/media/keys.js";
import { MOA_KEYS } from "../contracts/media/mixture.js";
import { SOCIAL_KEYS } from "../contracts/media/social.js";
import { SPEECH_KEYS } from "../contracts/media/speech.js";
import { VOICE_KEYS } from "../contracts/media/voice.js";
import { MEMORY_KEYS } from "../contracts/memory/keys.js";
import { POOL_KEYS } from "../contracts/models/pool-keys.js";
import { PLUGIN_KEYS } from "../contracts/plugins/plugin-keys.js";
import { RUNTIME_KEYS } from "../contracts/runtimes/keys.js";
import { CURATOR_KEYS } from "../contracts/skills/curator.js";
import { SKILL_KEYS } from "../contracts/skills/keys.js";
import { WEB_KEYS } from "../contracts/web/keys.js";
import { DASHBOARD_KEYS } from "../dashboard/access/keys.js";
import { KANBAN_PAGE_KEYS } from "../dashboard/kanban/keys.js";
import { ACCESS_KEYS } from "../gateway/settings/access-keys.js";
import { CRON_KEYS } from "../gateway/settings/cron-keys.js";
import { GATEWAY_KEYS } from "../gateway/settings/gateway-keys.js";
import { MEDIA_KEYS } from "../gateway/settings/media-keys.js";
import { TURN_KEYS } from "../gateway/settings/turn-keys.js";
import { HOOK_KEYS } from "../hooks/keys.js";
import { LOGIN_KEYS } from "../logins/core/keys.js";
import { FALLBACK_KEYS } from "../models/fallback.js";
import { MODEL_KEYS } from "../models/keys.js";
import { PROXY_KEYS } from "../proxy/settings.js";
import { SAFETY_KEYS } from "../safety/config/keys.js";
import { TOOL_KEYS } from "../tools/core/keys.js";
import type { ConfigKey } from "../contracts/config/config.js";

/** Every setting of the product. */
export const ALL_KEYS: readonly ConfigKey<unknown>[] = [
  ...LSP_KEYS,
  ...SEARCH_KEYS,
  ...BOARD_KEYS,
  ...DISPATCHER_KEYS,
  ...BUSY_KEYS,
  ...CHAT_KEYS,
  ...SESSION_KEYS,
  ...REVIEW_KEYS,
  ...CHECKPOINT_KEYS,
  ...COMMAND_KEYS,
  ...DISPLAY_KEYS,
  ...OWNER_KEYS,
  ...BROWSER_KEYS,
  ...DESKTOP_KEYS,
  ...MCP_KEYS,
  ...HEARING_KEYS,
  ...MEDIA_TOOL_KEYS,
  ...MOA_KEYS,
  ...SOCIAL_KEYS,
  ...SPEECH_KEYS,
  ...VOICE_KEYS,
  ...MEMORY_KEYS,
  ...POOL_KEYS,
  ...PLUGIN_KEYS,
  ...RUNTIME_KEYS,
  ...CURATOR_KEYS,
  ...SKILL_KEYS,
  ...WEB_KEYS,
  ...DASHBOARD_KEYS,
  ...KANBAN_PAGE_KEYS,
  ...ACCESS_KEYS,
  ...CRON_KEYS,
  ...GATEWAY_KEYS,
  ...MEDIA_KEYS,
  ...TURN_KEYS,
  ...HOOK_KEYS,
  ...LOGIN_KEYS,
  ...FALLBACK_KEYS,
  ...MODEL_KEYS,
  ...PROXY_KEYS,
  ...SAFETY_KEYS,
  ...TOOL_KEYS,
];
