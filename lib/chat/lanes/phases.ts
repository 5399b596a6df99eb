import type { Clock } from "../../base/clock.js";
import type { EpochMs } from "../../base/units.js";

export type Live = (event: string, data: Readonly<Record<string, unknown>>) => void;

/** What a conversation does at this moment (event `turn.phase`). */
export interface Phase {
  readonly phase: string;
  readonly detail: string;
  readonly since: EpochMs;
}

export interface Phases {
  /** Tells live events of a turn, and the phases that follow from them. */
  readonly live: Live;
  readonly now: Phase;
  /** Told at once, and from then on no other phase than `idle`. */
  interrupting(): void;
  idle(): void;
}

/** Phases that an event shows by itself. */
const SHOWN: Readonly<Record<string, string>> = { "text.delta": "writing", "reasoning.delta": "thinking" };

/** Follows the phases of one conversation. */
export function createPhases(tell: Live, clock: Clock): Phases {
  let now: Phase = { phase: "idle", detail: "", since: clock.now() };
  const set = (phase: string, detail: string) => {
    if (now.phase === phase && now.detail === detail) return;
    if (now.phase === "interrupting" && phase !== "idle") return;
    now = { phase, detail, since: clock.now() };
    tell("turn.phase", { ...now });
  };
  return {
    get now() {
      return now;
    },
    live: (event, data) => {
      if (event === "turn.phase") return set(String(data["phase"]), typeof data["detail"] === "string" ? data["detail"] : "");
      const shown = SHOWN[event];
      if (shown !== undefined) set(shown, "");
      tell(event, data);
    },
    interrupting: () => set("interrupting", ""),
    idle: () => set("idle", ""),
  };
}
