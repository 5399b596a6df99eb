import { toWireError } from "../../base/errors.js";
import { toIso } from "../../base/units.js";
import type { ChatEvent, SessionRecord, TurnResult } from "../../proto/chat.js";
import type { CommandContext } from "../define.js";

/** Print the events of one turn, one JSON object per line; the last line is `turn.ended`, or `error` when no turn could start. */
export async function streamEvents(session: SessionRecord, submit: () => Promise<TurnResult>, ctx: CommandContext): Promise<TurnResult> {
  const control = new AbortController();
  const after = await ctx.chat.cursor(session.id);
  const events = ctx.chat.events(session.id, after, control.signal);
  const work = submit();
  work.catch(() => control.abort());
  try {
    for await (const event of events) {
      await ctx.out(`${JSON.stringify(toLine(event))}\n`);
      if (event.event === "turn.ended") break;
    }
    return await work;
  } catch (error) {
    await ctx.out(`${JSON.stringify({ type: "error", error: toWireError(error) })}\n`);
    throw error;
  } finally {
    control.abort();
  }
}

function toLine(event: ChatEvent): Readonly<Record<string, unknown>> {
  return {
    type: event.event,
    ...(event.seq === undefined ? {} : { seq: event.seq }),
    session_id: event.session_id,
    ...(event.turn_id === undefined ? {} : { turn_id: event.turn_id }),
    at: toIso(event.at),
    ...event.data,
  };
}
