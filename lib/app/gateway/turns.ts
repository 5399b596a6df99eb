import type { Store } from "../../../storage/store.js";
import { type GatewayTurn, noteTurn, turnsOf } from "../../../storage/tables/gateway-sessions.js";
import { aborted } from "../../base/aborted.js";
import type { Clock } from "../../base/clock.js";
import { AppError, toAppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import type { Ms, SessionId } from "../../base/units.js";
import { ageNote, eventOf } from "../../gateway/batches.js";
import type { Turns } from "../../gateway/dispatch.js";
import { targetOf } from "../../gateway/target.js";
import type { ChatApi } from "../../proto/chat.js";
import type { Batch, Inbound, InboxRow } from "../../proto/gateway.js";
import type { SendTarget, TurnEnd } from "../../proto/gateway-outbox.js";
import type { Conversations } from "./conversations.js";
import { endOf, failedEnd, lastOf, storedResult } from "./ends.js";

export interface TurnsDeps {
  readonly store: Store;
  readonly chat: ChatApi;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly conversations: Conversations;
  /** Rows that are part of an open turn. */
  readonly rows: (turn: string) => Promise<readonly InboxRow[]>;
  /** More than one person talks in it. */
  readonly shared: (event: Inbound) => boolean;
  /** Messages to the chat that may not have arrived, each counted once. */
  readonly doubts: (target: SendTarget) => Promise<number>;
  /** `agent.gateway_auto_continue_freshness`; 0: no limit. */
  readonly freshness: () => Ms;
}

/** A turn that was cut off so often is given up. */
const RESUMES = 3;

const RESUMED =
  "[The turn before was cut off because the program ended. Go on and answer its message. Do not repeat work that is done already; where it is " +
  "unclear whether an action took place, say so and ask.]";

/** Turns of chats, worked in their conversations. The name of a turn is the key of its message there. */
export function chatTurns(deps: TurnsDeps): Turns {
  const { chat, clock, ids, store } = deps;
  const begun = (root: string) => store.read((q) => turnsOf(q, root));
  const work = async (noted: Omit<GatewayTurn, "begun_at">, text: string, { batch, signal }: Working): Promise<TurnEnd> => {
    const begun_at = clock.now();
    await store.write("gateway.turn", (tx) => noteTurn(tx, { ...noted, begun_at }));
    // The turn goes on when the gateway stops: who ends the conversations then marks it as cut off, so that it is resumed.
    const submitted = chat.submit({ session: noted.session_id, text, request: noted.turn });
    submitted.catch(() => undefined); // told below, unless the gateway stopped first
    const result = await Promise.race([submitted, aborted(signal).then(() => undefined)]);
    if (result === undefined || result.exit_reason === "owner_stopped") throw new AppError("E_INTERRUPTED", "the gateway stops");
    return endOf(noted.root, batch, result);
  };
  return {
    name: () => `gw_${ids.hex(12)}`,
    run: async (turn, batch, signal) => {
      const event = lastOf(batch);
      if (event === undefined) return failedEnd(turn, batch, "nothing is kept of the message", "");
      const session_id = await deps.conversations.open(batch.sessionKey, event);
      return work({ turn, root: turn, session_id }, await textOf(deps, batch, event), { batch, signal });
    },
    fate: async (root) => {
      for (const one of (await begun(root)).toReversed()) {
        await takenBack(chat, one.session_id, one.turn);
        const turn = await chat.turnOf(one.session_id, one.turn).catch(ifGone);
        if (turn === undefined) continue;
        const result = await storedResult(chat, one.session_id, turn);
        return result === undefined ? { was: "interrupted" } : { was: "ended", end: endOf(root, batchOf(await deps.rows(root)), result) };
      }
      return { was: "absent" };
    },
    resume: async (turn, root, batch, signal) => {
      const event = lastOf(batch);
      const [first, ...later] = await begun(root);
      const limit = deps.freshness();
      if (first === undefined || event === undefined) return failedEnd(root, batch, "nothing is kept of the message", "");
      if (later.length >= RESUMES) return failedEnd(root, batch, "cut off too often", "The answer was cut off several times. Ask again.");
      if (limit > 0 && clock.now() - first.begun_at > limit)
        return failedEnd(root, batch, "cut off long ago", "The answer was cut off when the program ended. Ask again.");
      const session_id = await deps.conversations.open(batch.sessionKey, event);
      return work({ turn, root, session_id }, RESUMED, { batch, signal });
    },
    failure: (turn, batch, error) => failedEnd(turn, batch, error, `This message could not be worked on: ${error}`),
  };
}

/** Enough of a batch to answer it. */
const batchOf = (rows: readonly InboxRow[]): Batch => ({ sessionKey: "", rows, text: "", receivedAt: 0, dueAt: 0 });

interface Working {
  readonly batch: Batch;
  readonly signal: AbortSignal;
}

function ifGone(error: unknown): undefined {
  if (toAppError(error).code !== "E_NOT_FOUND") throw error;
}

/** A message that still waits in the conversation would run there beside the one that comes again. */
async function takenBack(chat: ChatApi, session: SessionId, request: string): Promise<void> {
  try {
    const item = (await chat.queue(session)).items.find((one) => one.request === request);
    if (item !== undefined) await chat.queueRemove(session, item.id);
  } catch (error) {
    ifGone(error);
  }
}

async function textOf({ clock, shared, doubts }: TurnsDeps, batch: Batch, event: Inbound): Promise<string> {
  const target = targetOf(event);
  const unsure = target === undefined ? 0 : await doubts(target);
  const said = batch.rows.flatMap((row) => {
    const one = eventOf(row);
    if (one === undefined) return [];
    const name = one.source.userName ?? one.source.userId;
    return shared(one) && name !== null ? [`[${name}] ${one.text}`] : [one.text];
  });
  const notes = [
    ageNote(batch.receivedAt, clock.now()),
    unsure > 0 ? `[${unsure} earlier ${unsure === 1 ? "message" : "messages"} to this chat may not have arrived.]` : undefined,
    event.channelPrompt === null ? undefined : `[${event.channelPrompt}]`,
    event.replyToText === null ? undefined : `[In answer to: ${event.replyToText}]`,
  ];
  return [...notes.filter((note) => note !== undefined), ...said].join("\n");
}
