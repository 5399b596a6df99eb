/** Gateways seen from outside their processes: what `agent gateway ...` does (gateway part, 3.2). */

import type { SetupOutcome } from "../config/setup.js";
import type { GatewayStatus, ServiceState } from "./api.js";

/** What became of the gateway of one profile. `failed` says why in `reason`. */
export interface GatewayVerdict {
  readonly profile: string;
  readonly what:
    | "started"
    | "restarted"
    | "already running"
    | "stopped"
    | "not running"
    | "nothing configured"
    | "failed";
  readonly pid?: number;
  readonly reason?: string;
  /** Exit code that the verb would end with if it were called for this profile alone; with `failed`. */
  readonly exit?: number;
  /** What is wrong although it was started: stores that were recovered or cannot be opened, platforms without settings. */
  readonly problems?: readonly string[];
  /** The process goes on without a gateway: a workspace is open in it. */
  readonly stays?: boolean;
}

export interface GatewayRunOptions {
  /** 0 nothing beside warnings; 1 what happens; 2 everything. */
  readonly verbose: number;
  readonly quiet: boolean;
  readonly replace: boolean;
  readonly force: boolean;
  readonly noSupervise: boolean;
  readonly acceptHooks: boolean;
}

/** Which gateways a verb is about. */
export interface GatewayScope {
  readonly all: boolean;
  /** The unit of the machine, in place of that of the user. */
  readonly system: boolean;
  /** Do not ask the service manager. */
  readonly direct?: boolean;
}

/** One profile of `agent gateway list`. */
export interface GatewayListed {
  readonly profile: string;
  readonly current: boolean;
  readonly running: boolean;
  readonly pid: number | null;
}

/** The status with what only an outsider sees. */
export interface GatewaySeen extends GatewayStatus {
  readonly service: ServiceState | null;
  readonly deep?: GatewayDepth;
}

/** What `--deep` adds. */
export interface GatewayDepth {
  /** What differs between the unit and what would be written today; empty: nothing. */
  readonly unit_drift: readonly string[];
  /** Settings that name addresses, by variable. */
  readonly base_addresses: Readonly<Record<string, string>>;
  /** Optional packages and their versions; null: not installed. */
  readonly packages: Readonly<Record<string, string | null>>;
  readonly log: readonly string[];
}

export interface InstallOptions {
  readonly system: boolean;
  readonly force: boolean;
  readonly runAs?: string | undefined;
}

export interface LoginOptions {
  readonly tag: string;
  /** The account that is expected; another one is not stored. */
  readonly account?: string | undefined;
  readonly verifyCode?: string | undefined;
}

/** Runs in the process of the caller, never in an owner. */
export interface GatewayControl {
  /** @returns exit code */
  run(options: GatewayRunOptions): Promise<number>;
  start(scope: GatewayScope): Promise<readonly GatewayVerdict[]>;
  stop(scope: GatewayScope): Promise<readonly GatewayVerdict[]>;
  restart(scope: GatewayScope): Promise<readonly GatewayVerdict[]>;
  list(): Promise<readonly GatewayListed[]>;
  /** @throws what keeps the home from being read */
  status(options: { readonly deep: boolean; readonly system: boolean }): Promise<GatewaySeen>;
  /** One for each profile; a text where it could not be read. */
  statusAll(options: {
    readonly deep: boolean;
    readonly system: boolean;
  }): Promise<readonly (GatewaySeen | { profile: string; error: string })[]>;
  /** @returns what was done, a line each. @throws E_STATE where no service manager is there */
  install(options: InstallOptions): Promise<readonly string[]>;
  uninstall(options: { readonly system: boolean }): Promise<readonly string[]>;
  /** Log in to a platform at a terminal and store what it gives. @returns what was done, a line each. @throws with the reason */
  login(options: LoginOptions): Promise<readonly string[]>;
  /** Ask for the variables of a platform, try them out and store them. @throws E_INTERRUPTED when the person gave up: nothing is stored then */
  setup(options: {
    readonly tag: string | undefined;
    readonly clientSecret: string | undefined;
  }): Promise<SetupOutcome>;
}
