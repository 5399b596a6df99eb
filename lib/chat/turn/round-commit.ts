import type { Clock } from "../../base/time/clock.js";
import type { Ms, TurnId } from "../../base/units.js";
import type { Along, NewMessage, Transcript } from "../../contracts/chat/chat.js";

/**
 * Milliseconds the message with the calls of a response waits for the first of their results: half a frame of a screen, so that it is not seen. A small
 * command has ended by then (2 to 4 ms), and both go with one commit instead of two.
 */
const TOGETHER_WITHIN: Ms = 8;

/** The message that a round of calls begins with, on its way to the transcript. */
export interface RoundCommit {
  /** Resolves when the message is durable. A failure is seen here and by the writer of what follows it. */
  readonly stored: Promise<void>;
  /** A call has begun. `waits`: it does nothing before the message is durable. Resolves when that it has begun is. */
  began(data: Readonly<Record<string, unknown>>, waits: boolean): Promise<void>;
  /** Store a result, never before the message. Resolves when it is durable. */
  ended(result: NewMessage, along: Pick<Along, "event" | "steer">): Promise<void>;
  /** Wait for no result: something else is to be stored behind the message. */
  now(): void;
}

export function beginRoundCommit(
  { transcript, clock }: { readonly transcript: Transcript; readonly clock: Pick<Clock, "after"> },
  turn: TurnId,
  message: NewMessage,
  usage: Along["usage"],
): RoundCommit {
  const begun: Readonly<Record<string, unknown>>[] = [];
  /** Starts that were told behind the message, by call. */
  const told = new Map<unknown, Promise<void>>();
  let sent = false;
  let tell: (written: Promise<unknown>) => void = () => undefined;
  const stored = new Promise<unknown>((resolve) => {
    tell = resolve;
  }).then(() => undefined);
  stored.catch(() => undefined); // seen by its waiter
  let cancel: () => void = () => undefined;
  const send = (results: readonly NewMessage[], along: Along): Promise<void> => {
    sent = true;
    cancel();
    const all = { ...(usage && { usage }), ...(begun.length > 0 && { begun }), ...along };
    tell(transcript.append(turn, [message, ...results], Object.keys(all).length === 0 ? undefined : all));
    return stored;
  };
  const now = () => {
    if (!sent) void send([], {}); // never unhandled: see above
  };
  if (transcript.joins === true) cancel = clock.after(TOGETHER_WITHIN, now);
  else now();
  return {
    stored,
    now,
    began: (data, waits) => {
      if (sent) {
        const telling = transcript.event(turn, "tool.started", data);
        told.set(data["call_id"], telling);
        return telling;
      }
      begun.push(data);
      if (waits) now();
      return stored;
    },
    ended: async (result, along) => {
      if (!sent) return send([result], along);
      await stored;
      await told.get(result.toolCallId); // a worker's owner may be asked for both at once
      await transcript.append(turn, [result], along);
    },
  };
}
