import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";
import type { SendPause } from "../../../lib/contracts/gateway/platform.js";
import type { MsgxSettings } from "./settings.js";

/** How often the platform is written to. */
export interface Pace {
  /** Wait until the chat may be written to again. */
  turn(chat: string, rest: SendPause): Promise<void>;
  /** Chats that may not be written to now, each with how long. */
  resting(): ReadonlyMap<string, Ms>;
  taken(chat: string): void;
  refused(chat: string): void;
  /** How long nothing is sent to any chat; 0: sending goes on. */
  closedFor(): Ms;
}

const CHATS = 2000;

type Rules = Pick<MsgxSettings, "chunkDelayMs" | "circuitWindowMs" | "circuitOpenMs">;

/** Only refusals of two different people within the window are about the bot itself: then all sending rests. */
export function createPace({ chunkDelayMs, circuitWindowMs, circuitOpenMs }: Rules, clock: Clock): Pace {
  /** The longest ago first. */
  const last = new Map<string, number>();
  let refusals: readonly { readonly chat: string; readonly at: number }[] = [];
  let closedUntil = 0;
  return {
    turn: async (chat, rest) => {
      const wait = (last.get(chat) ?? Number.NEGATIVE_INFINITY) + chunkDelayMs - clock.mono();
      if (wait > 0) await rest(wait);
    },
    resting: () => {
      const now = clock.mono();
      for (const [chat, at] of last) {
        if (at + chunkDelayMs > now) break;
        last.delete(chat);
      }
      return new Map([...last].map(([chat, at]) => [chat, at + chunkDelayMs - now]));
    },
    taken: (chat) => {
      last.delete(chat);
      last.set(chat, clock.mono());
      const [oldest] = last.keys();
      if (last.size > CHATS && oldest !== undefined) last.delete(oldest);
    },
    refused: (chat) => {
      const now = clock.mono();
      refusals = [...refusals.filter(({ at }) => now - at < circuitWindowMs), { chat, at: now }].slice(-CHATS);
      if (new Set(refusals.map((one) => one.chat)).size < 2) return;
      closedUntil = now + circuitOpenMs;
      refusals = [];
    },
    closedFor: () => Math.max(0, Math.ceil(closedUntil - clock.mono())),
  };
}
