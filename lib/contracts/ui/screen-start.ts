import type { EpochMs } from "../../base/units.js";
import type { CageState } from "../config/cage.js";

/** What a screen says before the first message (workspace part, 1). */
export interface ScreenStart {
  /** The newest conversation of this directory with a message; null: no such conversation. */
  readonly offer: {
    readonly id: string;
    readonly title: string;
    readonly messages: number;
    readonly last_active_at: EpochMs;
  } | null;
  /** Who answers. `found`: a server on this machine that is not configured; `offline`: the stand-in. */
  readonly serving: {
    readonly how: "configured" | "found" | "offline";
    readonly provider: string;
    readonly model: string;
  };
  /** The cage of commands; absent where no engine for one exists. */
  readonly cage?: CageState;
}
