import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import { capsOf } from "../../contracts/gateway/platform-traits.js";
import type { Outbox } from "../outbox/outbox.js";
import { toSendTarget } from "../targets/event-target.js";
import type { LiveTurn } from "./live-turns.js";
import type { TurnSettings } from "./turn-settings.js";

export interface AcknowledgementsDeps {
  readonly clock: Clock;
  readonly outbox: Pick<Outbox, "insert">;
  readonly settings: Pick<TurnSettings, "acks" | "display">;
  /** Requests that a turn may make. */
  readonly most: () => number;
}

/** Words about a message that came while a turn ran. */
export interface Acknowledgements {
  /** At most one for each session in half a minute, unless they are switched off. */
  tell(live: LiveTurn, event: Inbound, text: string): Promise<void>;
  /** Likewise as a row that another part stores; empty: nothing is said. */
  due(live: LiveTurn, event: Inbound, text: string): Promise<readonly NewSend[]>;
  /** The answer to a command. */
  answer(live: LiveTurn, event: Inbound, text: string): Promise<void>;
  row(event: Inbound, text: string): readonly NewSend[];
}

const EVERY: Ms = 30_000;
const TIP =
  "\ndisplay.busy_input_mode sets what a message does while I work: interrupt, queue or steer. /stop interrupts the turn, /queue TEXT always waits.";

export function createAcknowledgements({ clock, outbox, settings, most }: AcknowledgementsDeps): Acknowledgements {
  const last = new Map<string, Ms>();
  const may = (key: string): boolean => {
    if (!settings.acks()) return false;
    const now = clock.mono();
    for (const [one, at] of last) if (now - at >= EVERY) last.delete(one);
    if (last.has(key)) return false;
    last.set(key, now);
    return true;
  };
  const keyOf = ({ platform, account, eventId }: Inbound) => `ack:${platform}:${account}:${eventId}`;
  const row = (event: Inbound, text: string) => ackTo(event, text, keyOf(event));
  /** The first one ever says more; that it was is known by its key. */
  const insert = async (event: Inbound, text: string) => {
    const first = ackTo(event, `${text}${TIP}`, "ack:first");
    if (first.length > 0 && (await outbox.insert(first)) === 0) await outbox.insert(row(event, text));
  };
  const detailed = (live: LiveTurn, event: Inbound, text: string) =>
    settings.display(event.platform).busyDetail ? `${text}${detailOf(live, clock.mono(), most())}` : text;
  return {
    row,
    tell: async (live, event, text) => {
      if (may(live.key)) await insert(event, detailed(live, event, text));
    },
    due: async (live, event, text) => (may(live.key) ? row(event, detailed(live, event, text)) : []),
    answer: async (live, event, text) => {
      await outbox.insert(row(event, detailed(live, event, text)));
    },
  };
}

/** ` (3 min, 4/90, terminal)` */
function detailOf({ progress }: LiveTurn, now: Ms, most: number): string {
  const minutes = `${Math.floor((now - progress.startedAt) / 60_000)} min`;
  const round = `${progress.iteration}/${most}`;
  return ` (${[minutes, round, ...(progress.tool === undefined ? [] : [progress.tool])].join(", ")})`;
}

/** Where an acknowledgement goes: on a platform where messages cost, only as the answer to the very message (gateway part, 10.2). */
function ackTo(event: Inbound, text: string, key: string): readonly NewSend[] {
  const target = toSendTarget(event);
  if (target === undefined) return [];
  const payload = { text, format: "plain", silent: true } as const;
  if (!capsOf(event.platform).pushCosts) return [{ kind: "notice", target, payload, sourceKey: key }];
  if (event.replyGrant === null) return [];
  return [{ kind: "notice", via: "reply", target, payload: { ...payload, grant: event.replyGrant }, sourceKey: key }];
}
