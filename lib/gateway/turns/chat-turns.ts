import { autocommit } from "../../../storage/alone.js";
import type { Store } from "../../../storage/store.js";
import { type GatewayTurn, noteTurn, turnsOf } from "../../../storage/tables/gateway/sessions.js";
import { withLinkedSignal } from "../../base/async/abort-any.js";
import { toAppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms, SessionId } from "../../base/units.js";
import { RESUMED } from "../../chat/transcript/resume.js";
import type { Inbound, InboxBatch, InboxRow } from "../../contracts/board/platform-tag.js";
import type { ChatApi, SubmitTurn, TurnResult } from "../../contracts/chat/chat.js";
import type { InboxTurnEnd, SendTarget, TurnDelivery } from "../../contracts/gateway/outbox.js";
import type { MessagePicture } from "../../contracts/models/pictures.js";
import type { Conversations } from "../conversations/conversations.js";
import type { SpokenAnswers } from "../conversations/spoken-answers.js";
import type { TurnMedia } from "../conversations/turn-media.js";
import { ageNote, eventOf } from "../inbox/batches.js";
import type { GatewayTurns } from "../router/dispatch.js";
import { saidIn } from "../router/inline-mode.js";
import { toSendTarget } from "../targets/event-target.js";
import { endOf, failedEnd, lastOf, storedResult } from "../text/answer-sends.js";
import type { LeftTurn } from "./interrupted-turn.js";
import type { LiveTurns } from "./live-turns.js";

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
  readonly live: LiveTurns;
  /** Before a turn: the conversation is made smaller where it is too large (gateway part, 7.6). @returns whether it goes on in another session */
  readonly ready: (session: SessionId, event: Inbound, withdrawn: AbortSignal) => Promise<boolean>;
  /** What of a turn's text people see already. */
  readonly shown: (turn: string) => Promise<TurnDelivery | undefined>;
  readonly media: TurnMedia;
  readonly spoken: Pick<SpokenAnswers, "ended" | "stored">;
  /** What was visible of a turn that an earlier owner began is left in order. */
  readonly left: (turn: LeftTurn) => Promise<void>;
  /** The line under an answer; "" without one. */
  readonly footer: (event: Inbound, result: TurnResult) => Promise<string>;
}

/** A turn that was cut off so often is given up. */
const RESUMES = 3;

/** Turns of chats, worked in their conversations. The name of a turn is the key of its message there. */
export function chatTurns(deps: TurnsDeps): GatewayTurns {
  const { chat, clock, ids, store } = deps;
  const begun = (root: string) => turnsOf(autocommit(store), root);
  const ended = async (root: string, batch: InboxBatch, result: TurnResult): Promise<InboxTurnEnd> => {
    const event = lastOf(batch);
    const shown = await deps.shown(root);
    if (event === undefined) return endOf(root, batch, result, { shown });
    const extras = { shown, footer: await deps.footer(event, result) };
    await deps.spoken.ended(root, batch, result);
    const answer = { turn: root, event, result, streamed: shown?.mode === "stream" };
    return deps.media.end(answer, (said) => endOf(root, batch, said, extras));
  };
  const work = async (
    noted: Omit<GatewayTurn, "begun_at">,
    given: Given,
    { batch, event, signal }: Working,
  ): Promise<InboxTurnEnd> => {
    const begun_at = clock.now();
    await noteTurn(autocommit(store, "gateway.turn"), { ...noted, begun_at });
    const submit = { ...given, session: noted.session_id, request: noted.turn };
    const worked = await deps.live.work({ turn: noted.root, batch, event, submit, signal });
    if ("result" in worked) return ended(noted.root, batch, worked.result);
    const { reason, told } = worked.fenced;
    return told === undefined ? { state: "answered", reason, sends: [] } : failedEnd(noted.root, batch, reason, told);
  };
  return {
    name: () => `gw_${ids.hex(12)}`,
    run: async (turn, batch, signal) => {
      const event = lastOf(batch);
      if (event === undefined) return failedEnd(turn, batch, "the message is not stored", "");
      const ready = deps.live.readying(batch.sessionKey);
      try {
        const { session_id, given } = await readied(deps, { batch, event, signal }, ready.withdrawn);
        return await work({ turn, root: turn, session_id }, given, { batch, event, signal });
      } catch (error) {
        if (ready.fenced === undefined || signal.aborted) throw error;
        return { state: "answered", reason: ready.fenced.reason, sends: [] };
      } finally {
        ready.over();
      }
    },
    fate: async (root) => {
      for (const one of (await begun(root)).toReversed()) {
        await takenBack(chat, one.session_id, one.turn);
        const turn = await chat.turnOf(one.session_id, one.turn).catch(ifGone);
        if (turn === undefined) continue;
        const result = await storedResult(chat, one.session_id, turn);
        const rows = await deps.rows(root);
        await deps.left({ root, rows, was: result === undefined ? "interrupted" : "ended" });
        if (result !== undefined) return { was: "ended", end: await ended(root, batchOf(rows), result) };
        return { was: "interrupted" };
      }
      return { was: "absent" };
    },
    resume: async (turn, root, batch, signal) => {
      const event = lastOf(batch);
      const [first, ...later] = await begun(root);
      const limit = deps.freshness();
      if (first === undefined || event === undefined) return failedEnd(root, batch, "the message is not stored", "");
      if (later.length >= RESUMES)
        return failedEnd(root, batch, "interrupted too often", "The answer was interrupted several times. Ask again.");
      if (limit > 0 && clock.now() - first.begun_at > limit)
        return failedEnd(
          root,
          batch,
          "interrupted long ago",
          "The answer was interrupted when the program ended. Ask again.",
        );
      const session_id = await deps.conversations.open(batch.sessionKey, event);
      return work({ turn, root, session_id }, { text: RESUMED, resumes: true }, { batch, event, signal });
    },
    stored: deps.spoken.stored,
    failure: (turn, batch, error) => failedEnd(turn, batch, error, `Failed to process this message: ${error}`),
  };
}

/** Everything that comes before the turn is worked. A turn that is withdrawn meanwhile does nothing more to its chat. @throws when it is */
function readied(deps: TurnsDeps, { batch, event, signal }: Working, withdrawn: AbortSignal) {
  return withLinkedSignal([signal, withdrawn], async (either) => {
    const before = await deps.conversations.open(batch.sessionKey, event);
    either.throwIfAborted();
    const moved = (await freed(deps, batch.sessionKey, before, either)) || (await deps.ready(before, event, withdrawn));
    either.throwIfAborted();
    const session_id = moved ? await deps.conversations.open(batch.sessionKey, event) : before;
    return { session_id, given: await saidOf(deps, batch, event, either) };
  });
}

/** Where a withdrawn turn does not let go of its conversation, the chat goes on in a copy of it. @returns whether it does */
async function freed(
  { live, chat, conversations }: TurnsDeps,
  key: string,
  session: SessionId,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(await live.stuck(session))) return false;
  const { id } = await chat.fork(session);
  signal.throwIfAborted(); // who withdrew this turn may have moved the chat elsewhere
  await conversations.move(key, id);
  return true;
}

/** Enough of a batch to answer it. */
const batchOf = (rows: readonly InboxRow[]): InboxBatch => ({
  sessionKey: "",
  rows,
  text: "",
  receivedAt: 0,
  dueAt: 0,
});

type Given = Pick<SubmitTurn, "text" | "pictures" | "resumes">;

interface Working {
  readonly batch: InboxBatch;
  readonly event: Inbound;
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

async function saidOf(
  { clock, shared, doubts, media }: TurnsDeps,
  batch: InboxBatch,
  event: Inbound,
  signal: AbortSignal,
): Promise<Given> {
  const target = toSendTarget(event);
  const said: string[] = [];
  const pictures: MessagePicture[] = [];
  for (const row of batch.rows) {
    const one = eventOf(row);
    if (one === undefined) continue;
    const name = one.source.userName ?? one.source.userId;
    const text = saidIn(one);
    const received = await media.received(one, signal);
    pictures.push(...received.pictures);
    const named = shared(one) && name !== null && !one.internal;
    said.push(...received.lines, ...(text === "" ? [] : [named ? `[${name}] ${text}` : text]));
  }
  signal.throwIfAborted(); // what is said once is kept for a turn that is worked
  const unsure = target === undefined ? 0 : await doubts(target);
  const notes = [
    ageNote(batch.receivedAt, clock.now()),
    unsure > 0
      ? `[${unsure} earlier ${unsure === 1 ? "message" : "messages"} to this chat may not have arrived.]`
      : undefined,
    batch.rows.map((row) => eventOf(row)?.context).find((one) => one !== undefined),
    event.channelPrompt === null ? undefined : `[${event.channelPrompt}]`,
    ...(target === undefined ? [] : await media.notes(target)),
  ];
  const whole = [...notes.filter((note) => note !== undefined), ...said].join("\n");
  return { text: whole, ...(pictures.length === 0 ? {} : { pictures }) };
}
