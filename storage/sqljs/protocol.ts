import type { WireError } from "../../lib/base/errors.js";
import type { LogFacts, LogSeverity } from "../../lib/base/log/log.js";
import type { Args, Closing, DomainEvent, Step, StoredEvent, StoreSpec } from "../store.js";
import type { BodyKind } from "./transactions.js";

/** What a thread needs to open a store. Functions do not travel: `applied` names the migrations whose function the main thread runs. */
export interface OpenRequest {
  readonly spec: Omit<StoreSpec, "migrations">;
  readonly migrations: readonly {
    readonly to: number;
    readonly statements: readonly string[];
    readonly applied: boolean;
  }[];
  readonly readonly: boolean;
  readonly longLived: boolean;
  readonly checkpointBytes: number | undefined;
}

/** One thing to do with a store. `session` numbers the transactions of all stores. */
export type Op =
  | { readonly op: "open"; readonly request: OpenRequest }
  | { readonly op: "begin"; readonly session: number; readonly kind: BodyKind; readonly label: string }
  | { readonly op: "all" | "text" | "run"; readonly session: number; readonly sql: string; readonly args: Args }
  | { readonly op: "emit"; readonly session: number; readonly event: DomainEvent }
  | { readonly op: "commit" | "rollback" | "rewind"; readonly session: number }
  | { readonly op: "migrated"; readonly session: number; readonly error: WireError | undefined }
  | {
      readonly op: "script";
      readonly label: string;
      readonly steps: readonly Step[];
      readonly events: readonly DomainEvent[];
    }
  | { readonly op: "copy"; readonly path: string }
  | { readonly op: "checkpoint" }
  | { readonly op: "close"; readonly how: Closing };

/** To the thread. `id` 0: no answer is wanted. */
export interface Request {
  readonly id: number;
  readonly store: number;
  readonly op: Op;
}

/** From the thread, in the order in which it happened. */
export type Report =
  | { readonly kind: "answer"; readonly id: number; readonly value?: unknown; readonly error?: WireError }
  | { readonly kind: "bytes"; readonly id: number; readonly value: Uint8Array }
  | { readonly kind: "events"; readonly store: number; readonly events: readonly StoredEvent[] }
  | { readonly kind: "migrate"; readonly store: number; readonly session: number; readonly to: number }
  | { readonly kind: "recovered"; readonly store: number; readonly note: string }
  | { readonly kind: "fatal"; readonly store: number; readonly error: WireError }
  | {
      readonly kind: "log";
      readonly store: number;
      readonly level: LogSeverity;
      readonly message: string;
      readonly facts: LogFacts;
    };
