import type { Home } from "../../base/home.js";
import type { Ids } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import type { ProcessFacts } from "../../base/process/process-facts.js";
import type { ProcessId } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import type { BoardApi } from "../../contracts/board/api.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { Config } from "../../contracts/config/config.js";
import type { ProfilesApi } from "../../contracts/config/profiles.js";
import type { SettingsApi } from "../../contracts/config/settings.js";
import type { GatewayStatus } from "../../contracts/gateway/api.js";
import type { CronApi } from "../../contracts/gateway/cron.js";
import type { KnownTarget } from "../../contracts/gateway/messages.js";
import type { HomeChannel } from "../../contracts/gateway/targets.js";
import type { McpApi } from "../../contracts/mcp/mcp.js";
import type { AuthApi } from "../../contracts/models/auth.js";
import type { ModelsApi } from "../../contracts/models/models-api.js";
import type { OpenListener } from "../../contracts/owner/listeners.js";
import type { OwnerApi } from "../../contracts/owner/owner.js";
import type { PluginsApi } from "../../contracts/plugins/plugins.js";
import type { SkillServices } from "../../contracts/skills/services.js";
import type { LogFilter, LogPage } from "../../contracts/ui/log-lines.js";
import type { DashboardAccess } from "../access/access.js";
import type { LoginProviders } from "../access/login-providers.js";
import type { LiveEvents } from "../events/events-api.js";
import type { Plugins } from "../plugins/plugins.js";
import type { ApiMemory } from "./memory.js";

/** What the endpoints of the board plugin work with. */
export interface KanbanParts {
  readonly board: BoardApi;
  readonly profiles: ProfilesApi;
  readonly config: Config;
  readonly settings: SettingsApi;
  readonly clock: Clock;
  readonly home: Home;
  readonly log: Log;
  /** Environment of the owner: only what pins a board is looked at. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Home chats of the platforms, as they are set now. */
  homeChannels(): readonly HomeChannel[];
  /** Numbers of a living process of this machine; undefined: it is gone, or another process has its pid. */
  processFacts(id: ProcessId): Promise<ProcessFacts | undefined>;
}

/** What the owner hands to each of its dashboards: the same services that commands use. */
export interface DashboardServices extends KanbanParts {
  readonly version: string;
  readonly chat: ChatApi;
  readonly owner: OwnerApi;
  readonly models: ModelsApi;
  readonly auth: AuthApi;
  readonly cron: CronApi;
  readonly mcp: McpApi;
  readonly ids: Ids;
  /** All plugins of the home; `plugins` are those with a page. */
  readonly agentPlugins: PluginsApi;
  readonly skills: SkillServices;
  /** Logins that plugins brought. */
  readonly loginProviders: LoginProviders;
  readonly memory: ApiMemory;
  readonly live: LiveEvents;
  /** Newest lines of a log, the filter applied. */
  logs(filter: LogFilter, lines: number): Promise<LogPage>;
  /** Chats that messages can be sent to: home channels, then others by name. */
  targets(): Promise<readonly KnownTarget[]>;
  /** The gateway of this home; what no process runs is as it was recorded last. */
  gateway(): Promise<
    Pick<GatewayStatus, "running" | "state" | "started_at" | "recorded_at" | "exit_reason" | "platforms">
  >;
  /** Listeners that are open in this process, of all kinds. */
  listeners(): Promise<readonly OpenListener[]>;
  /** Run a command with an rpc surface by its path (`sessions list`); its `--json` data is the answer. */
  command(path: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
}

/** What all endpoints of the dashboard work with. */
export interface DashboardParts extends DashboardServices {
  /** Tokens, codes and tickets of the listener that the request came to. */
  readonly access: DashboardAccess;
  readonly plugins: Plugins;
}
