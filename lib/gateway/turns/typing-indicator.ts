import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { Platform, TurnPhase } from "../../contracts/gateway/platform.js";
import { toSendTarget } from "../targets/event-target.js";
import type { LiveTurn, TurnObserver } from "./live-turns.js";

export interface PresenceDeps {
  readonly clock: Clock;
  /** The adapter of an event; undefined while it is not connected. */
  readonly platformOf: (event: Inbound) => Platform | undefined;
}

const EVERY: Ms = 2_000;
const CALL: Ms = 1_500;

/** Shows that a turn is worked on: the sign of typing, and reactions where the adapter has them (gateway part, 11.1). Nothing waits for it. */
export function createTypingIndicator({ clock, platformOf }: PresenceDeps): (live: LiveTurn) => TurnObserver {
  const bounded = (call: (platform: Platform, signal: AbortSignal) => Promise<unknown> | undefined, event: Inbound) => {
    const platform = platformOf(event);
    if (platform === undefined) return;
    const control = new AbortController();
    const cancel = clock.after(CALL, () => control.abort(new Error("timeout")));
    const work = async () => call(platform, control.signal);
    work().then(cancel, cancel); // best effort: not reported
  };
  return (live) => {
    const { event, progress } = live;
    const { chatId, threadId } = toSendTarget(event) ?? {};
    let cancel: () => void = () => undefined;
    let shown = false;
    const type = (on: boolean) => {
      if (chatId === undefined || (!on && !shown)) return;
      shown = on;
      bounded((platform, signal) => platform.typing?.(chatId, on, signal, threadId), event);
    };
    const phase = (name: TurnPhase) => bounded((platform, signal) => platform.onTurn?.(event, name, signal), event);
    const beat = () => {
      type(progress.waitsAt === undefined);
      cancel = clock.after(EVERY, beat);
    };
    phase("begun");
    beat();
    return {
      on: ({ event: name }) => {
        if (name === "turn.phase" && progress.waitsAt !== undefined) type(false);
      },
      stop: (how) => {
        cancel();
        type(false);
        phase(how);
      },
    };
  };
}
