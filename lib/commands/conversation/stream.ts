import { AppError, exitCodeOf, toAppError, toWireError } from "../../base/errors.js";
import { type TurnId, toIso } from "../../base/units.js";
import type { ChatEvent, SessionRecord, TurnResult } from "../../contracts/chat/chat.js";
import type { CommandContext } from "../define.js";

/** Print the events of one turn, one JSON object per line; the last line is `turn.ended`. Turns of others in the session are left out. */
export async function streamEvents(
  session: SessionRecord,
  submit: (onTurn: (turn: TurnId) => void) => Promise<TurnResult>,
  ctx: CommandContext,
): Promise<TurnResult> {
  const control = new AbortController();
  const after = await ctx.chat.cursor(session.id);
  const events = ctx.chat.events(session.id, after, control.signal);
  let work: Promise<TurnResult> | undefined;
  const begun = new Promise<TurnId | undefined>((resolve) => {
    work = submit(resolve);
    work.catch(() => {
      control.abort();
      resolve(undefined);
    });
  });
  try {
    for await (const event of events) {
      if (event.turn_id !== undefined && event.turn_id !== (await begun)) continue;
      await ctx.out(toEventLine(event));
      if (event.event === "turn.ended") break;
    }
    return await (work ?? Promise.reject(new AppError("E_INTERNAL", "the turn did not start")));
  } finally {
    control.abort();
  }
}

/** An event as a line of `--json` (core part, 1.4). */
export function toEventLine(event: ChatEvent): string {
  const line = {
    type: event.event,
    ...(event.seq === undefined ? {} : { seq: event.seq }),
    session_id: event.session_id,
    ...(event.turn_id === undefined ? {} : { turn_id: event.turn_id }),
    at: toIso(event.at),
    ...event.data,
  };
  return `${JSON.stringify(line)}\n`;
}

/** The last line of a stream whose turn could not start or be followed to its end. @returns exit code */
export async function endWithError(thrown: unknown, ctx: CommandContext): Promise<number> {
  const error = toAppError(thrown);
  if (error.code === "E_INTERNAL")
    ctx.log.error("command failed", { error: error.message, stack: String(error.stack).slice(0, 2000) });
  await ctx.out(`${JSON.stringify({ type: "error", error: toWireError(error) })}\n`);
  return exitCodeOf(error);
}
