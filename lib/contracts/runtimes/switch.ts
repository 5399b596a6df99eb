/** `/vendor-runtime`: who works the turns of the provider `vendor` (extensions part, 8.1, 8.10). */
import { VENDOR_ENDPOINT } from "../models/vendor-endpoint.js";

/** The provider whose turns the app-server may work. */
export const VENDOR_PROVIDER: string = VENDOR_ENDPOINT.id;

/** What stands for the app-server on this machine. */
export interface RuntimeProgram {
  /** As the setting names it. */
  readonly command: string;
  /** Absolute. Absent: it is not there. */
  readonly path?: string;
  readonly version?: string;
  /** Why it cannot be used, one sentence. */
  readonly problem?: string;
}

export interface RuntimeState {
  /** The runtime is opted in to; the program may be missing. */
  readonly on: boolean;
  readonly program: RuntimeProgram;
}

/** What was done to the settings of the app-server. */
export interface MigrationReport {
  readonly file: string;
  readonly changed: boolean;
  /** Servers and plugins that are in the managed block. */
  readonly servers: readonly string[];
  readonly plugins: readonly string[];
  readonly notes: readonly MigrationNote[];
  /** Nothing was written, and why. */
  readonly error?: string;
}

export interface MigrationNote {
  /** A server; empty: all of it. */
  readonly name: string;
  /** `skipped`: it or a part of it is not in the block. */
  readonly kind: "note" | "skipped" | "error";
  readonly text: string;
}

/** How the protocol of a program differs from the one that this product speaks. */
export interface SchemaComparison {
  /** One line for each thing that the program requires or sends and that is not handled. Empty: none. */
  readonly unknown: readonly string[];
  /** Why there is nothing to compare. */
  readonly problem?: string;
}

export interface RuntimeEnabled {
  /** False: it was on already, and `config.yaml` was not written. */
  readonly changed: boolean;
  readonly program: RuntimeProgram;
  readonly migration: MigrationReport;
  /** What its own schemas require, beside what is handled. It is used whatever this says. */
  readonly protocol: SchemaComparison;
  /** A hook decides about commands, which those that the app-server runs without asking do not reach. */
  readonly policyHooks: boolean;
}

export interface RuntimeSwitch {
  /** Runs the program with `--version`. */
  state(signal: AbortSignal): Promise<RuntimeState>;
  /**
   * Check the program, set `model.vendor_runtime`, write our servers into the settings of the app-server.
   *
   * @throws E_STATE the program is missing, too old, or does not answer; nothing was changed
   */
  enable(signal: AbortSignal): Promise<RuntimeEnabled>;
  /** Never runs the program. False: it was off already. */
  disable(): Promise<boolean>;
  /** Where it is on and the settings of the app-server lack changes of ours: their file. Never runs the program. */
  outdated(): Promise<string | undefined>;
}
