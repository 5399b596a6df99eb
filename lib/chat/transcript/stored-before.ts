import type { Query, Store } from "../../../storage/store.js";
import * as events from "../../../storage/tables/sessions/events.js";
import * as messages from "../../../storage/tables/sessions/messages.js";
import * as sessions from "../../../storage/tables/sessions/records.js";
import * as turns from "../../../storage/tables/sessions/turns.js";
import type { SessionId, TurnId } from "../../base/units.js";
import type { MessageRecord, NewMessage, SessionRecord } from "../../contracts/chat/chat.js";
import type { TranscriptSegment } from "./segment.js";

/** Events of a session that are looked through for one that may have been stored before: a worker has few calls under way at once. */
const LOOK_BACK = 200;
/** Events that a session can have within the minutes that a request is remembered. */
const TURN_LOOK_BACK = 20_000;

/**
 * What the worker of a session asks for a second time, because its owner died before it answered, is found by its place in the conversation.
 * One worker writes a session, one change of a kind at a time, so that the place decides.
 */
export interface StoredBefore {
  /** The turn that was begun with this message. */
  begun(message: NewMessage, run: number | undefined): Promise<{ turn: TurnId; message: MessageRecord } | undefined>;
  /** The stored messages, when they are there. `answers`: how many assistant messages the turn had before. */
  appended(turn: TurnId, added: readonly NewMessage[], answers: number): Promise<readonly MessageRecord[] | undefined>;
  /** The event is there. */
  told(turn: TurnId | undefined, kind: string, data: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** The counters hold the request already. `calls`: how many they held before. */
  counted(calls: number): Promise<boolean>;
  /** The segment with this id. */
  segment(id: SessionId): Promise<TranscriptSegment | undefined>;
  /** The turn has ended. */
  ended(turn: TurnId): Promise<boolean>;
}

export function findStoredBefore(store: Store, session: SessionRecord): StoredBefore {
  const ofTurn = async (q: Query, turn: TurnId) =>
    (await messages.conversation(q, session.id)).filter((one) => one.turn_id === turn);
  return {
    begun: (message, run) =>
      store.read(async (q) => {
        const open = await turns.openTurn(q, session.id);
        if (open === undefined || open.run_id !== (run ?? null)) return undefined;
        const [first, ...more] = await ofTurn(q, open.turn_id);
        const same = first?.role === "user" && first.content === message.content && more.length === 0;
        return same ? { turn: open.turn_id, message: first } : undefined;
      }),
    appended: (turn, added, answers) =>
      store.read(async (q) => {
        const stored = await ofTurn(q, turn);
        const own = stored.filter((one) => one.role === "assistant");
        let next = answers;
        const found = added.map((message) => {
          if (message.role === "tool")
            return stored.find((one) => one.role === "tool" && one.toolCallId === message.toolCallId);
          if (message.role === "user")
            return stored.find((one) => one.role === "user" && one.content === message.content);
          next += 1;
          return own[next - 1];
        });
        const there = found.filter((message) => message !== undefined);
        return there.length === added.length ? there : undefined;
      }),
    told: (turn, kind, data) =>
      store.read(async (q) => {
        const wanted = JSON.stringify(data);
        const newest = await events.newestOf(q, session.id, LOOK_BACK);
        return newest.some(
          (event) => event.turn === turn && event.kind === kind && JSON.stringify(event.payload) === wanted,
        );
      }),
    // The record was read for this request, so that it holds what was stored before.
    counted: async (calls) => session.api_call_count > calls,
    segment: (id) =>
      store.read(async (q) => {
        const found = await sessions.get(q, id);
        return found && { session: found, messages: await messages.conversation(q, id) };
      }),
    ended: async (turn) => (await store.read((q) => turns.openTurn(q, session.id)))?.turn_id !== turn,
  };
}

/** The turn of a session that a request of a client has begun, among the newest events. */
export async function turnBegunBy(store: Store, session: SessionId, request: string): Promise<TurnId | undefined> {
  const newest = await store.read((q) => events.newestOf(q, session, TURN_LOOK_BACK));
  const found = newest.find((event) => event.kind === "turn.started" && event.payload["request"] === request);
  return found?.turn as TurnId | undefined; // the store wrote it from one
}
