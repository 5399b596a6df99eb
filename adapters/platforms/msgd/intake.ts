import { createWakeup } from "../../../lib/base/async/wakeup.js";
import type { Log } from "../../../lib/base/log/log.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";
import type { Inbound, Inlet } from "../../../lib/contracts/board/platform-tag.js";
import type { Dispatch, Place, Session } from "./session.js";

/** What could not be found out now, and may be later: the event is looked at again. */
export class NotNow extends Error {
  override readonly name = "NotNow";
}

export interface IntakeParts {
  readonly inlet: Pick<Inlet, "acceptBatch">;
  readonly account: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly session: () => Pick<Session, "place" | "handled" | "hold" | "go">;
  /** The event of a dispatch; undefined: it is not for us, now and for ever. `last`: what is not known then, stays so. @throws NotNow */
  readonly read: (dispatch: Dispatch, last: boolean) => Promise<Inbound | undefined>;
  /** An event is stored, now or long ago. */
  readonly stored: (event: Inbound) => void;
}

/** Events on their way into the inbox, in the platform's order. */
export interface Intake {
  push(dispatch: Dispatch): void;
  /** Works until the signal aborts. @throws what the inbox throws */
  run(): Promise<void>;
}

export const CURSOR = "session";

const AT_ONCE = 100;
const MOST_WAITING = 5000;
const BUSY_MS: Ms = 5000;
const LOOKS = 3;

/**
 * The library drops events that are not taken, so everything that it reports is kept here, in order, until it is stored. Only then the session counts it as
 * handled; a connection that is renewed, also by the next process, goes on behind what was handled. An inbox that is full makes it wait; when too
 * much waits, the connection is closed and the platform keeps the rest.
 */
export function createIntake(parts: IntakeParts): Intake {
  const { clock, signal, log } = parts;
  const wakeup = createWakeup();
  let waiting: Dispatch[] = [];
  let held = false;
  return {
    push: (dispatch) => {
      if (held && dispatch.seq > 0) return; // the platform tells it again
      waiting.push(dispatch);
      if (waiting.length > MOST_WAITING && dispatch.seq > 0) {
        held = true;
        log.warning("too many events wait: the platform keeps the rest", { tag: "msgd", waiting: waiting.length });
        waiting = waiting.slice(0, AT_ONCE);
        parts
          .session()
          .hold()
          .catch((error: unknown) => log.warning("the connection did not close", { error: String(error) }));
      }
      wakeup.notify();
    },
    run: async () => {
      for (let looks = 1; !signal.aborted; ) {
        if (waiting.length === 0) {
          await wakeup.wait(signal);
          continue;
        }
        const taken = waiting.slice(0, AT_ONCE);
        const done = await take(parts, taken, looks >= LOOKS);
        if (signal.aborted) return;
        looks = done === "later" ? looks + 1 : 1;
        if (done !== "stored") {
          await clock.sleep(BUSY_MS, signal);
          continue;
        }
        waiting.splice(0, taken.length);
        if (held && waiting.length === 0) {
          held = false;
          parts.session().go();
        }
      }
    },
  };
}

async function take(
  parts: IntakeParts,
  taken: readonly Dispatch[],
  last: boolean,
): Promise<"stored" | "busy" | "later"> {
  const found = await Promise.all(taken.map((dispatch) => readOne(parts, dispatch, last)));
  if (found.includes("later")) return "later";
  const events = found.filter((one) => typeof one === "object");
  const place = placeBehind(parts, taken);
  const news = place !== undefined && taken.some(({ type }) => type === "READY");
  if (events.length > 0 || news) {
    const value = JSON.stringify(place ?? null);
    const answer = await parts.inlet.acceptBatch(events, {
      platform: "msgd",
      account: parts.account,
      name: CURSOR,
      value,
    });
    if (answer.result === "busy") return "busy";
  }
  for (const { session, seq } of taken) parts.session().handled(session, seq);
  for (const event of events) parts.stored(event);
  return "stored";
}

async function readOne(
  { read, log }: IntakeParts,
  dispatch: Dispatch,
  last: boolean,
): Promise<Inbound | "later" | undefined> {
  try {
    return await read(dispatch, last);
  } catch (error) {
    if (error instanceof NotNow && !last) return "later";
    log.warning("an event of the platform cannot be read", { tag: "msgd", type: dispatch.type, why: String(error) });
    return undefined;
  }
}

/** Where the session stands when these are stored. */
function placeBehind({ session }: IntakeParts, taken: readonly Dispatch[]): Place | undefined {
  const place = session().place();
  if (place === undefined) return undefined;
  const seqs = taken.filter((one) => one.session === place.id).map(({ seq }) => seq);
  return { ...place, seq: Math.max(place.seq, ...seqs) };
}
