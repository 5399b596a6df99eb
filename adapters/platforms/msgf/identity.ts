import type { Clock } from "../../../lib/base/time/clock.js";
import type { EpochMs, Ms } from "../../../lib/base/units.js";
import type { Answer, Api } from "./api.js";
import type { MsgfSettings } from "./settings.js";
import { sharedCall } from "./shared-call.js";
import { BotShape } from "./wire.js";

/** Who the bot is; "" for what is unknown. */
export interface Self {
  readonly openId: string;
  readonly userId: string;
  readonly appId: string;
  readonly name: string;
}

/** The bot's own identity: from the settings, else asked for, again until it is known. */
export interface Identity {
  /** @returns the answer that says why it is not known; undefined when it is, or needs not be asked */
  ask(signal: AbortSignal): Promise<Exclude<Answer, { ok: true }> | undefined>;
  /** What is known now, after one more try when that is due. */
  now(signal: AbortSignal): Promise<Self>;
}

const AGAIN_MS: Ms = 5000;
const ASK_MS: Ms = 2000;

export function createIdentity({ appId, self }: MsgfSettings, api: Api, clock: Pick<Clock, "now">): Identity {
  let known: Self = { appId, ...self };
  let asked: EpochMs = Number.NEGATIVE_INFINITY;
  // Senders and mentions carry the open id: with another one alone the bot would not know its own messages.
  const isKnown = () => known.openId !== "";
  const ask = async (signal: AbortSignal, totalMs?: Ms) => {
    if (isKnown()) return undefined;
    asked = clock.now();
    const limit = totalMs === undefined ? {} : { totalMs };
    const answer = await api.call({ method: "GET", path: "/open-apis/bot/v3/info", signal, ...limit });
    if (!answer.ok) return answer;
    const bot = BotShape.safeParse(answer.body).data?.bot;
    if (bot !== undefined) known = { ...known, openId: bot.open_id, name: known.name || bot.app_name };
    return undefined;
  };
  const again = sharedCall(() => ask(new AbortController().signal, ASK_MS));
  return {
    ask: (signal) => ask(signal),
    now: async () => {
      if (!isKnown() && clock.now() - asked >= AGAIN_MS) await again();
      return known;
    },
  };
}
