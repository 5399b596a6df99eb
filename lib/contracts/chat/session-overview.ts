import type { EpochMs } from "../../base/units.js";

/** A session as the session manager lists it (workspace part, 7.3). */
export interface SessionRow {
  readonly id: string;
  /** Empty without a title; `preview` then describes the session. */
  readonly title: string;
  readonly preview: string;
  readonly cwd: string;
  readonly model: string;
  readonly messages: number;
  /** USD; null when no provider has said. */
  readonly cost: number | null;
  readonly last_active_at: EpochMs;
  readonly archived: boolean;
  readonly running: boolean;
  /** Questions of it that wait for the user. */
  readonly questions: number;
  readonly pinned: boolean;
  /** Of a search: the sessions that it found and that continue in this one. */
  readonly found?: readonly string[];
}
