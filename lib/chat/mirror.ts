import type { Store } from "../../storage/store.js";
import * as messages from "../../storage/tables/sessions/messages.js";
import * as table from "../../storage/tables/sessions/records.js";
import * as turns from "../../storage/tables/sessions/turns.js";
import { toAppError } from "../base/errors.js";
import type { Clock } from "../base/time/clock.js";
import type { SessionId, TurnId } from "../base/units.js";
import type { SessionRecord, TurnResult } from "../contracts/chat/chat.js";
import type { OpenSessions } from "./session-actor/open-sessions.js";
import { noSession } from "./transcript/session-record.js";
import { addedEvent, openNextTurn, throwBusy } from "./transcript/transcript.js";

export interface MirrorDeps {
  readonly store: Store;
  readonly clock: Clock;
}

const TRIES = 20;

/** Do something to a session between its turns; turns that begin first are waited for. @throws E_STATE when one always is first */
export async function runBetweenTurns<T>(
  open: Pick<OpenSessions, "idle">,
  id: SessionId,
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    await open.idle(id);
    try {
      return await work();
    } catch (error) {
      if (toAppError(error).code !== "E_STATE" || tries >= TRIES) throw error;
    }
  }
}

/**
 * Add what a chat was sent to its conversation: a turn that is over, in one commit. Its `turn.started` says `mirrored`: people have read it already.
 *
 * @param about why it was sent, as the user message: a conversation never begins with the assistant
 * @throws E_STATE while a turn of the session runs
 */
export async function addMirrored(
  { store, clock }: MirrorDeps,
  id: SessionId,
  text: string,
  about: string,
): Promise<void> {
  const session = await store.read((q) => table.get(q, id));
  if (session === undefined) throw noSession(id);
  const at = clock.now();
  const message = { role: "user", content: `[${about}]` } as const;
  const write = store.write("chat.mirror", async (tx) => {
    const { turn } = await openNextTurn(tx, {
      session,
      message,
      at,
      run: null,
      request: undefined,
      item: undefined,
      mirrored: text,
    });
    const place = { session: id, turn, at };
    const rows = await turns.apply(tx, messages.messageSteps({ role: "assistant", content: text }, place, 0));
    tx.emit(addedEvent(place, Number(rows[1]?.[0]?.["id"])));
    const result = resultOf(session, turn, text);
    await turns.close(tx, turn, result.exit_reason, at);
    tx.emit({ kind: "turn.ended", at, session: id, turn, payload: { ...result } });
  });
  await write.catch((error: unknown) => throwBusy(error, id));
}

function resultOf(session: SessionRecord, turn: TurnId, text: string): TurnResult {
  return {
    final_response: text,
    reasoning: "",
    session_id: session.id,
    lineage_root: session.lineage_root,
    turn_id: turn,
    completed: true,
    failed: false,
    partial: false,
    interrupted: false,
    exit_reason: "text_response" as const,
    api_calls: 0,
    tool_calls: 0,
    denied: [],
    files_changed: [],
    files_not_changed: [],
    model: session.model,
    provider: session.provider,
    base_url: "",
    input_tokens: 0,
    output_tokens: 0,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    total_tokens: 0,
    last_prompt_tokens: session.last_prompt_tokens,
    context_window: 0,
    duration_ms: 0,
    estimated_cost_usd: null,
    cost_status: "unknown" as const,
    cost_source: null,
    response_transformed: false,
  };
}
