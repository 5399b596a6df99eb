import type { Clock } from "../base/clock.js";
import type { Home } from "../base/home.js";
import type { Ids } from "../base/ids.js";
import type { Log } from "../base/log.js";
import type { ProcessFacts } from "../base/process-facts.js";
import type { ProcessId } from "../base/spawn.js";
import type { AuthApi } from "../proto/auth.js";
import type { BoardApi } from "../proto/board-api.js";
import type { ChatApi } from "../proto/chat.js";
import type { Config } from "../proto/config.js";
import type { CronApi } from "../proto/cron.js";
import type { GatewayStatus } from "../proto/gateway-api.js";
import type { HomeChannel } from "../proto/gateway-targets.js";
import type { OpenListener } from "../proto/listeners.js";
import type { LogFilter, LogPage } from "../proto/log-lines.js";
import type { KnownTarget } from "../proto/messages.js";
import type { ModelsApi } from "../proto/models-api.js";
import type { OwnerApi } from "../proto/owner.js";
import type { ProfilesApi } from "../proto/profiles.js";
import type { SettingsApi } from "../proto/settings.js";
import type { Access } from "./access.js";
import type { ApiMemory } from "./api/memory.js";
import type { Live } from "./live/api.js";
import type { Plugins } from "./plugins/plugins.js";

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
  readonly ids: Ids;
  readonly memory: ApiMemory;
  readonly live: Live;
  /** Newest lines of a log, the filter applied. */
  logs(filter: LogFilter, lines: number): Promise<LogPage>;
  /** Chats that messages can be sent to: home channels, then others by name. */
  targets(): Promise<readonly KnownTarget[]>;
  /** The gateway of this home; what no process runs is as it was recorded last. */
  gateway(): Promise<Pick<GatewayStatus, "running" | "state" | "started_at" | "recorded_at" | "exit_reason" | "platforms">>;
  /** Listeners that are open in this process, of all kinds. */
  listeners(): Promise<readonly OpenListener[]>;
  /** Run a command with an rpc surface by its path (`sessions list`); its `--json` data is the answer. */
  command(path: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
}

/** What all endpoints of the dashboard work with. */
export interface DashboardParts extends DashboardServices {
  /** Tokens, codes and tickets of the listener that the request came to. */
  readonly access: Access;
  readonly plugins: Plugins;
}
