import type { Clock } from "../base/clock.js";
import type { Home } from "../base/home.js";
import type { Ids } from "../base/ids.js";
import type { Log } from "../base/log.js";
import type { BoardApi } from "../proto/board-api.js";
import type { ChatApi } from "../proto/chat.js";
import type { Config } from "../proto/config.js";
import type { ModelsApi } from "../proto/models-api.js";
import type { OwnerApi } from "../proto/owner.js";
import type { ProfilesApi } from "../proto/profiles.js";
import type { SettingsApi } from "../proto/settings.js";

/** What the endpoints of the board plugin work with. */
export interface KanbanParts {
  readonly board: BoardApi;
  readonly profiles: ProfilesApi;
  readonly config: Config;
  readonly settings: SettingsApi;
  readonly clock: Clock;
}

/** What all endpoints of the dashboard work with: the same services that commands use. */
export interface DashboardParts extends KanbanParts {
  readonly home: Home;
  readonly version: string;
  readonly chat: ChatApi;
  readonly owner: OwnerApi;
  readonly models: ModelsApi;
  readonly ids: Ids;
  readonly log: Log;
  /** Run a command with an rpc surface by its path (`sessions list`); its `--json` data is the answer. */
  command(path: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>;
}
