import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import { toSendTarget } from "../targets/event-target.js";
import type { LiveTurn, TurnObserver } from "./live-turns.js";
import type { Bubbles } from "./progress-messages.js";
import { watchDeadlines } from "./turn-deadlines.js";
import type { TurnSettings } from "./turn-settings.js";

export interface TimedDeps {
  readonly clock: Clock;
  readonly settings: Pick<TurnSettings, "limits">;
  readonly bubbles: Bubbles;
}

/** Holds a turn to its times, and tells the chat (gateway part, 10.4). */
export function createTurnLimits({ clock, settings, bubbles }: TimedDeps): (live: LiveTurn) => TurnObserver {
  return (live) => {
    const { event, progress } = live;
    const sign = bubbles.open(live);
    const step = () => progress.tool ?? (progress.requestAt === undefined ? "thinking" : "waiting for the model");
    const ended = {
      request: (limit: Ms) => `The model did not respond within ${spoken(limit)}. Try again, or /reset to start over.`,
      turn: (limit: Ms) => `The turn was stopped after ${spoken(limit)} (running: ${step()}). Completed work is kept.`,
      quiet: (limit: Ms) =>
        `The turn was stopped after ${spoken(limit)} of inactivity (last: ${step()}). Completed work is kept.`,
    };
    const deadlines = watchDeadlines({
      clock,
      progress,
      limits: () => settings.limits(event.platform),
      acts: {
        end: (which, limit) => live.fence({ reason: `${which} deadline`, told: ended[which](limit) }),
        warn: (quiet) => {
          tell(live, notice(live, `⏳ No activity for ${spoken(quiet)} (${step()}). /stop interrupts it.`));
        },
        life: (running) => sign.show(`⏳ Working — ${Math.floor(running / 60_000)} min — ${step()}`),
      },
    });
    return {
      on: () => deadlines.look(),
      stop: async () => {
        deadlines.stop();
        await sign.close(true);
      },
    };
  };
}

/** `15 min`, `90 s`. */
function spoken(ms: Ms): string {
  return ms >= 120_000 && ms % 60_000 === 0 ? `${ms / 60_000} min` : `${Math.round(ms / 1000)} s`;
}

function notice({ event, turn }: LiveTurn, text: string): readonly NewSend[] {
  const target = toSendTarget(event);
  const payload = { text, format: "plain", silent: true } as const;
  return target === undefined
    ? []
    : [{ kind: "notice", target: { ...target, replyTo: null }, payload, turn: { id: turn, seq: 0 } }];
}

function tell(live: LiveTurn, sends: readonly NewSend[]): void {
  live.emit(sends).catch(() => undefined); // ok to lose: the turn goes on, and its end is reported
}
