import type { SessionId, TurnId } from "../../base/units.js";
import type { CheckpointTaker } from "../../contracts/owner/checkpoints.js";

/** The turn that sent a child. */
export interface Sender {
  readonly lineage: SessionId;
  readonly turn: TurnId | undefined;
}

/** What a child keeps before it changes something belongs to the turn that sent it: an undo of that turn brings it back. */
export function onBehalf(taker: CheckpointTaker | undefined, { lineage, turn }: Sender): CheckpointTaker | undefined {
  if (taker === undefined || turn === undefined) return taker;
  return {
    take: (input, signal) =>
      taker.take({ ...input, origin: { ...input.origin, answersTo: { lineage, turn } } }, signal),
    release: (directory, own) => taker.release(directory, own),
    directoryOf: (path, env, within) => taker.directoryOf(path, env, within),
  };
}
