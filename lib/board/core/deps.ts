import type { Store, StoredEvent } from "../../../storage/store.js";
import type { Home } from "../../base/home.js";
import type { Ids } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import type { Spawner } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import type { BoardSlug } from "../../base/units.js";
import type { PassOptions } from "../../contracts/board/api.js";
import type { PassResult } from "../../contracts/board/board.js";
import type { Config } from "../../contracts/config/config.js";
import type { Stopper } from "./kernel.js";
import type { OrchestrationPort } from "./port.js";
import type { ExplainPorts } from "./ports.js";

/** What the board knows of profiles. */
export interface ProfilesPort {
  /** The profile exists on disk. `default` always does. */
  exists(name: string): boolean;
  /** Every profile, `default` first. */
  names(): readonly string[];
  /** Names of toolsets; a skill may not be called like one. */
  toolsets(): readonly string[];
  /** A skill of that name resolves for the profile. Absent: unknown, and not checked. */
  hasSkill?(profile: string, skill: string): boolean | Promise<boolean>;
  /** The profile has no model of its own, while `default` has one. Absent: unknown, and nothing is reported. */
  lacksModel?(profile: string): boolean;
  /** Why no worker of the profile can start: its settings name a missing program. Undefined: it can, or the profile is unknown. */
  workerProblem?(profile: string): Promise<string | undefined>;
}

/** What a board needs to give its files another place. */
export interface BoardMover {
  /** Close the store of a board and keep it closed while `work` runs; other callers wait meanwhile. */
  closed<T>(board: BoardSlug, work: () => Promise<T>): Promise<T>;
  /** Open a board's store that lies elsewhere, for the caller alone, who closes it. Made when missing. */
  openAt(path: string): Promise<Store>;
  /** Resolves when no worker of the board is being started. */
  started(board: BoardSlug): Promise<void>;
}

/** What the board is made from. */
export interface BoardDeps {
  /**
   * The store of a board. `existing`: undefined when the board has no store file, and none is made (reading verbs). `create`: made and migrated when missing.
   *
   * @throws E_STORE the store cannot be opened; its file is untouched
   */
  readonly stores: (board: BoardSlug, need: "existing" | "create") => Promise<Store | undefined>;
  /** Stored and new events of a board in order, from the bus of the owner. Default: from the store itself. */
  readonly events?: (board: BoardSlug, after: number, signal: AbortSignal) => AsyncIterable<StoredEvent>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: Config;
  readonly profiles: ProfilesPort;
  readonly stopper: Stopper;
  /** For git worktrees, and to identify the process of an outside worker. */
  readonly spawner: Spawner;
  readonly log: Log;
  /** Machine id: which runs are ours. */
  readonly host: string;
  readonly home: Home;
  /** Environment of the owner: places of workspaces and attachments. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Removes secrets from what workers write. */
  readonly redact: (text: string) => string;
  /** What other parts tell for `why`, `next`, `diagnostics` and `doctor`. Missing ones have a default that says so. */
  readonly explain?: Partial<ExplainPorts>;
  /** Models and profiles for specifying, decomposing and swarms. Absent: no auxiliary client. */
  readonly orchestration?: OrchestrationPort;
  /** Absent: boards are not removed, restored, exported or imported here. */
  readonly mover?: BoardMover;
  /** `kanban.default_board` in the settings of another home than this one. Absent: only the own settings count. */
  readonly defaultBoardOf?: (home: string) => Promise<string | undefined>;
  /** One pass of the dispatcher. Absent: `dispatch` is refused. */
  readonly pass?: (options: PassOptions) => Promise<PassResult>;
}
