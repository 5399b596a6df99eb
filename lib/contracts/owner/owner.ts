import type { EpochMs } from "../../base/units.js";
import type { PassResult } from "../board/board.js";
import type { Check } from "../check.js";
import type { CageState } from "../config/cage.js";
import type { OwnerRole } from "../gateway/life.js";
import type { OpenListener } from "./listeners.js";
import type { ProtocolDocument } from "./protocol-document.js";

export interface OwnerStatus {
  readonly pid: number;
  readonly version: string;
  readonly home: string;
  readonly started_at: EpochMs;
  /** `long` for workspace and headless, `command` for the length of one command. */
  readonly kind: "long" | "command";
  readonly role: OwnerRole;
  readonly clients: number;
  readonly open_turns: number;
  readonly running_workers: number;
  readonly stores: readonly { name: string; ok: boolean; detail: string }[];
  readonly memory_bytes: number;
  readonly uptime_ms: number;
  readonly dispatching: boolean;
  /** It is there for a listener that its command holds; nothing works by itself in it. */
  readonly only_listens?: true;
  /** It runs in safe mode. */
  readonly safe_mode?: true;
  /** What is open for the outside beside the owner's own door. */
  readonly listeners: readonly OpenListener[];
  /** What is wrong with the settings, one sentence each. */
  readonly problems: readonly string[];
  /** The cage of commands; absent where no engine for one exists. */
  readonly cage?: CageState;
}

/** Numbers of a forced dispatcher; what is undefined follows the configuration. */
export interface DispatchNumbers {
  readonly intervalSeconds?: number | undefined;
  /** Starts per interval. */
  readonly max?: number | undefined;
  readonly failureLimit?: number | undefined;
}

/** What a forced dispatcher tells. */
export interface DispatchTold {
  begun(): Promise<void>;
  passed(result: PassResult): void;
}

export interface StoppedWorkers {
  /** Tasks that are ready again. */
  readonly stopped: readonly string[];
  /** Those whose worker could not be ended, and why. */
  readonly kept: readonly { readonly task: string; readonly why: string }[];
}

/** What an owner works on at this moment, each thing by its name. */
export interface UnderWay {
  /** Titles of conversations whose turn runs. */
  readonly turns: readonly string[];
  /** Goals of delegated children. */
  readonly children: readonly string[];
  /** Commands of background processes. */
  readonly processes: readonly string[];
  /** Tasks whose worker of this machine runs. */
  readonly workers: readonly string[];
}

/** The owner process about itself. */
export interface OwnerApi {
  status(): Promise<OwnerStatus>;
  /** Turns, children and processes would be cut off if it stopped; workers would go on. */
  underWay(): Promise<UnderWay>;
  /** Claim nothing more, end the workers of this machine and give their tasks back. For who is about to stop the owner. */
  stopWorkers(): Promise<StoppedWorkers>;
  /** Everything `agent doctor` looks at. `deep`: also digests of the stores. */
  doctor(options: { deep: boolean; fix: boolean }): Promise<readonly Check[]>;
  /**
   * Dispatch whatever the configuration says, until the signal aborts. Workers go on.
   *
   * @throws E_OWNER_RUNNING naming the process when it dispatches already
   */
  dispatchUntil(signal: AbortSignal, numbers: DispatchNumbers, told: DispatchTold): Promise<void>;
  /** Its methods and events with their schemas. */
  protocol(): Promise<ProtocolDocument>;
  /** Orderly stop, after the answer to this call has left. */
  stop(): Promise<void>;
}
