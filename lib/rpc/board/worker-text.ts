import type { Bus } from "../../backplane/bus.js";
import type { Clock } from "../../base/time/clock.js";
import { toIso } from "../../base/units.js";

/** Text that a worker's model writes at this moment, for those who look at its conversation. It reaches the owner as drafts. */
export interface WorkerText {
  /** A call of the worker about its transcript has been done. */
  done(method: string, params: Readonly<Record<string, unknown>>): void;
}

export function createWorkerText(bus: Pick<Bus, "delta">, clock: Pick<Clock, "now">): WorkerText {
  const told = new Map<string, string>();
  const draft = (session: string, turn: string, text: string) => {
    const before = told.get(session) ?? "";
    told.set(session, text);
    const base = { session_id: session, turn_id: turn, at: toIso(clock.now()) };
    if (!text.startsWith(before)) bus.delta(`session:${session}`, { ...base, event: "text.reset", data: {} });
    // From its beginning, for who has begun to look in the middle; a screen leaves out what it has.
    if (text !== before) bus.delta(`session:${session}`, { ...base, event: "text.delta", data: { text, offset: 0 } });
  };
  return {
    done: (method, { session, turn, text }) => {
      if (typeof session !== "string") return;
      if (method === "transcript.draft" && typeof text === "string") draft(session, String(turn), text);
      // The message that is stored now holds the text; the next draft is that of another one.
      else if (method === "transcript.append" || method === "transcript.end") told.delete(session);
    },
  };
}
