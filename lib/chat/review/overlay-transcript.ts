import { AppError } from "../../base/errors.js";
import type { Clock } from "../../base/time/clock.js";
import type { TurnId } from "../../base/units.js";
import type { MessageRecord, NewMessage, Transcript } from "../../contracts/chat/chat.js";

/** Auxiliary slot that the tokens of reviews are counted under. */
const SLOT = "review";

/**
 * A transcript that begins as another one and is never stored: what is added lives in memory. Its tokens are counted with those of the other one.
 *
 * @param stored what the other one holds; read once
 */
export function overlayTranscript(
  base: Transcript,
  stored: readonly MessageRecord[],
  { clock, model, provider }: { readonly clock: Clock; readonly model: string; readonly provider: string },
): Transcript & { readonly added: readonly MessageRecord[] } {
  const { session } = base;
  const turn = `${session.id}:${SLOT}` as TurnId; // it has the form of one and is stored nowhere
  const added: MessageRecord[] = [];
  const records = new Map<string, string>();
  const last = stored.at(-1);
  const keep = (message: NewMessage): MessageRecord => {
    const n = added.length + 1;
    const kept = {
      ...message,
      id: (last?.id ?? 0) + n,
      session_id: session.id,
      turn_id: turn,
      ordinal: (last?.ordinal ?? 0) + n,
      created_at: clock.now(),
      active: true,
    };
    added.push(kept);
    return kept;
  };
  const full = async (): Promise<never> => {
    throw new AppError("E_STATE", "a review does not compact the conversation");
  };
  return {
    session,
    added,
    messages: async () => [...stored, ...added],
    beginTurn: async (message) => ({ turn, message: keep(message) }),
    append: async (_turn, messages) => messages.map(keep),
    draft: async () => undefined,
    event: async () => undefined,
    addUsage: async (_turn, usage) => base.addSideUsage({ slot: SLOT, model, provider, usage }),
    setSystemPrompt: full,
    record: async (name) => records.get(name) ?? (await base.record(name)),
    setRecord: async (name, json) => {
      records.set(name, json);
    },
    nextSegment: full,
    previousSegment: full,
    addSideUsage: (use) => base.addSideUsage(use),
    endTurn: async () => undefined,
  };
}
