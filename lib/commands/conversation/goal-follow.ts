import type { SessionId } from "../../base/units.js";
import type { ChatApi, ChatEvent, TurnResult } from "../../contracts/chat/chat.js";
import type { Direct } from "../define.js";
import { toEventLine } from "./stream.js";

/** A loop of turns while it is followed. */
export interface FollowedLoop {
  /** Print what is left, once no further turn begins. */
  end(): Promise<void>;
}

/** Codes of the notices that say how a goal goes on. */
const GOAL_NOTICES: ReadonlySet<unknown> = new Set(["goal", "goal_judge"]);

/**
 * Print what happens in a session from `after` on: events as JSON lines, of which the last is `turn.ended`, or else on standard error why the
 * loop goes on, pauses and fails.
 */
export function followLoop(
  chat: ChatApi,
  start: { readonly session: SessionId; readonly after: number },
  to: Direct,
): FollowedLoop {
  const control = new AbortController();
  let last = start;
  let until = Number.POSITIVE_INFINITY;
  let ended: ChatEvent | undefined;
  const print = async (event: ChatEvent) => {
    if (!to.json) return printNotice(event, to);
    if (event.event === "turn.ended") {
      ended = event; // held back: what the judge says of the turn stands before its end, so that the last line is an end
      return;
    }
    if (event.event === "turn.started") await flush();
    await to.out(toEventLine(event));
  };
  const flush = async () => {
    if (ended !== undefined) await to.out(toEventLine(ended));
    ended = undefined;
  };
  const follow = async () => {
    for (let next: SessionId | undefined = start.session; next !== undefined; ) {
      const session: SessionId = next;
      next = undefined;
      for await (const event of chat.events(session, session === start.session ? start.after : 0, control.signal)) {
        await print(event);
        last = { session, after: event.seq ?? last.after };
        next = nextSegment(event);
        if (next !== undefined || last.after >= until) break;
      }
    }
    await flush();
  };
  const work = follow();
  work.catch(() => undefined); // awaited in end
  return {
    end: async () => {
      until = await chat.cursor(last.session);
      if (last.after >= until) control.abort();
      await work;
    },
  };
}

async function printNotice({ event, data }: ChatEvent, to: Direct): Promise<void> {
  if (event === "notice" && GOAL_NOTICES.has(data["code"])) await to.err(`agent: ${String(data["text"])}\n`);
  if (event !== "turn.ended") return;
  const { error } = data as Partial<TurnResult>; // the data of this event is a result
  if (error === undefined) return;
  await to.err(`agent: ${error.message}\n${error.hint === "" ? "" : `agent: ${error.hint}\n`}`);
}

/** A compaction goes on in a new segment; its events are those of that one. */
function nextSegment({ event, data }: ChatEvent): SessionId | undefined {
  if (event !== "compaction.ended" && event !== "compaction.undone") return undefined;
  const id = data["new_session_id"];
  return typeof id === "string" ? (id as SessionId) : undefined; // the owner wrote it from one
}
