import type { AppError } from "../base/errors.js";
import type { Disk } from "../base/fs/disk.js";
import type { Home } from "../base/home.js";
import type { Ids } from "../base/ids.js";
import type { Log } from "../base/log/log.js";
import type { LogLines } from "../base/log/log-lines.js";
import type { Net } from "../base/net/net.js";
import type { Spawner } from "../base/process/spawn.js";
import type { Clock } from "../base/time/clock.js";
import type { AskHooks } from "../contracts/gateway/hooks.js";
import type { Transcriber } from "../contracts/gateway/transcription.js";
import type { Hooks } from "../contracts/hooks/hooks.js";
import type { HooksApi } from "../contracts/hooks/hooks-api.js";
import type { Cages } from "../safety/cage/cages.js";
import type { LoadedConfig } from "./load-config.js";

/**
 * `long`: workspace, headless; threads, dispatcher, watchers. `command`: owner for the length of one command. `readonly`: looks without
 * the lock and creates nothing.
 */
export type AppKind = "long" | "command" | "readonly";

/** What an app is built on. The outside enters here and nowhere else. */
export interface AppOptions {
  readonly home: Home;
  readonly kind: AppKind;
  /** The process is there for `kanban daemon --force`: it dispatches as long as that runs, and not by itself. */
  readonly reserved?: boolean;
  /** The process is there for a listener that its command holds: clients are served, but nothing works by itself. */
  readonly listens?: boolean;
  /** The process has a screen, and stays as long as that. */
  readonly workspace?: boolean;
  /** Asks whether unseen hooks of the gateway may run; without it they do not. */
  readonly askHooks?: AskHooks;
  /** It became the owner because the one before was gone. */
  readonly tookOver?: boolean;
  /** Plugins, MCP servers, shell hooks and gateway hooks are left out; see `lib/contracts/config/safe-mode.ts`. */
  readonly safeMode?: boolean;
  /** Hooks and middleware of the process: what turns and the gateway call, and where plugins register. */
  readonly hooks?: Hooks;
  /** Programs of the setting `hooks`; absent in safe mode. */
  readonly shellHooks?: HooksApi;
  /** The process was started as the gateway. */
  readonly gateway?: boolean;
  /** Paths of the home that other users could read until this process corrected their modes. */
  readonly corrected?: readonly string[];
  /** The disk broke a promise to a store, or another process uses its files: this process has to end now. Without it the error is uncaught. */
  readonly onFatal?: (error: AppError) => void;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: LoadedConfig;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly disk: Disk;
  readonly spawner: Spawner;
  readonly net: Net;
  /** Cages for commands of tools; absent: they run as they are. */
  readonly cages?: Cages;
  readonly log: Log;
  /** Its lines, as they are written. */
  readonly lines: LogLines;
  /** What hears recordings of chats and meetings, where something does. */
  readonly transcriber?: Transcriber | undefined;
}
