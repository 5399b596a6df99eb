import type { Query, Store, Tx } from "../../../storage/store.js";
import * as messages from "../../../storage/tables/sessions/messages.js";
import * as sessions from "../../../storage/tables/sessions/records.js";
import * as turns from "../../../storage/tables/sessions/turns.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, SessionId } from "../../base/units.js";
import type { MessageRecord, NewMessage, OpenTurn, SessionRecord, TurnResult } from "../../contracts/chat/chat.js";
import { recoverSteer } from "./queue-store.js";

/** What a call gets that was running when the program ended (core part, 2.6). */
export const INTERRUPTED_RESULT = JSON.stringify({
  error: "interrupted: the program ended while this call was running; it may or may not have taken effect",
  status: "interrupted",
});

/** Give every call of the turn that has no result the interrupted one, in its place. */
export async function settleCalls(tx: Tx, place: messages.Place): Promise<void> {
  for (const call of await turns.openCalls(tx, place.turn)) await add(tx, place, interruptedResult(call));
}

async function add(tx: Tx, place: messages.Place, message: NewMessage): Promise<void> {
  const rows = await turns.apply(tx, messages.messageSteps(message, place, 0));
  const payload = { message_id: Number(rows[1]?.[0]?.["id"]) };
  tx.emit({ kind: "message.added", at: place.at, session: place.session, turn: place.turn, payload });
}

/**
 * What closing the turns of a session that an ended owner left open would add to it, for processes that only read. Such messages are not stored:
 * their ids are negative, and their time is that of the turn. Turns of workers are left out: those may live.
 */
export async function findLeftMessages(store: Store, session: SessionId): Promise<readonly MessageRecord[]> {
  return store.read(async (q) => {
    const left = (await turns.openTurns(q)).filter((turn) => turn.session_id === session && turn.run_id === null);
    const added: MessageRecord[] = [];
    const note = ({ turn_id, started_at }: OpenTurn, ordinal: number, message: NewMessage) => {
      const place = {
        id: -1 - added.length,
        session_id: session,
        turn_id,
        ordinal,
        created_at: started_at,
        active: true,
      };
      added.push({ ...message, ...place });
    };
    for (const turn of left) {
      for (const call of await turns.openCalls(q, turn.turn_id)) note(turn, call.ordinal, interruptedResult(call));
      if (turn.draft !== "") note(turn, Number.MAX_SAFE_INTEGER, interruptedText(turn));
    }
    return added;
  });
}

const interruptedResult = (call: turns.OpenCall): NewMessage => ({
  role: "tool",
  content: INTERRUPTED_RESULT,
  toolCallId: call.call_id,
  toolName: call.tool_name,
  status: "interrupted",
});

const interruptedText = ({ draft }: OpenTurn): NewMessage => ({
  role: "assistant",
  content: draft,
  finishReason: "interrupted",
});

/**
 * Close the turns that an earlier owner left open, except those that `keep` names (workers that are alive and adopted). Called at the start of
 * an owner, before anything runs. Harmless twice.
 *
 * @param first done before the first is closed, and only when there is one: ends what their calls have left running
 * @returns the turns that were closed
 */
export async function closeOpenTurns(
  store: Store,
  clock: Clock,
  keep: (turn: OpenTurn) => boolean,
  first?: () => Promise<void>,
): Promise<readonly OpenTurn[]> {
  const left = (await store.read((q) => turns.openTurns(q))).filter((turn) => !keep(turn));
  if (left.length > 0) await first?.();
  for (const turn of left) {
    const at = clock.now();
    await store.write("chat.recover", (tx) => closeOne(tx, turn, at));
  }
  return left;
}

/** What the boards say of their open runs. */
export interface OpenConversations {
  /** Conversations that open runs name: each names its own before the first turn begins there, and no other run has it. */
  readonly named: ReadonlySet<string>;
  /** Every board could be read. Otherwise a conversation that is not named may belong to a run that lives. */
  readonly all: boolean;
}

/**
 * Close the turns of workers whose run is over. Called once the dispatcher has adopted those that live, when clients may already be served: turns
 * that belong to no run are left alone, and the runs are asked for only after the turns are known, so that one that begins meanwhile is not
 * taken for a left one. A run is identified by its conversation: its number is counted by each board for itself.
 */
export async function closeTurnsOfEndedRuns(
  store: Store,
  clock: Clock,
  open: () => Promise<OpenConversations>,
): Promise<void> {
  const ofWorkers = await store.read(turnsOfWorkers);
  if (ofWorkers.length === 0) return;
  const { named, all } = await open();
  if (!all) return;
  const left = new Set(ofWorkers.filter(({ conversation }) => !named.has(conversation)).map(({ turn }) => turn));
  await closeOpenTurns(store, clock, (turn) => !left.has(turn.turn_id));
}

/** Open turns that belong to a run, each with the conversation that the run names: compaction moves a turn on within its lineage. */
async function turnsOfWorkers(q: Query) {
  const found = (await turns.openTurns(q)).filter((turn) => turn.run_id !== null);
  const roots = [];
  for (const { turn_id, session_id } of found) {
    const session = await sessions.get(q, session_id);
    roots.push({ turn: turn_id, conversation: session?.lineage_root ?? session_id });
  }
  return roots;
}

async function closeOne(tx: Tx, turn: OpenTurn, at: EpochMs): Promise<void> {
  const place = { session: turn.session_id, turn: turn.turn_id, at };
  await settleCalls(tx, place);
  if (turn.draft !== "") await add(tx, place, interruptedText(turn));
  if (!(await turns.close(tx, turn.turn_id, "owner_stopped", at))) return;
  const session = await sessions.get(tx, turn.session_id);
  if (!session) return;
  await recoverSteer(tx, { root: session.lineage_root, session: session.id, at }, `q_${turn.turn_id}`);
  tx.emit({
    kind: "turn.ended",
    at,
    session: session.id,
    turn: turn.turn_id,
    payload: { ...ownerStopped(session, turn, at) },
  });
}

/** Counters of the turn went with the process that had them; those of the session are in its record. */
function ownerStopped(session: SessionRecord, turn: OpenTurn, at: EpochMs): TurnResult {
  const none = {
    api_calls: 0,
    tool_calls: 0,
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
  };
  return {
    ...none,
    final_response: turn.draft,
    reasoning: "",
    session_id: session.id,
    lineage_root: session.lineage_root,
    turn_id: turn.turn_id,
    completed: false,
    failed: false,
    partial: turn.draft !== "",
    interrupted: true,
    exit_reason: "owner_stopped",
    denied: [],
    files_changed: [],
    files_not_changed: [],
    model: session.model,
    provider: session.provider,
    base_url: "",
    reasoning_tokens: 0,
    total_tokens: 0,
    last_prompt_tokens: session.last_prompt_tokens,
    context_window: 0,
    estimated_cost_usd: null,
    cost_status: "unknown",
    cost_source: null,
    response_transformed: false,
    duration_ms: Math.max(0, at - turn.started_at),
  };
}
