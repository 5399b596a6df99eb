import { projectDirectory } from "../checkpoints/place.js";
import type { SessionRecord } from "../contracts/chat/chat.js";
import type { CheckpointTaker, TakenCheckpoint } from "../contracts/owner/checkpoints.js";

/** The store of checkpoints is the owner's: a worker asks it to keep a state before it changes something. */
export function remoteTaker(
  call: (method: string, params: object) => Promise<unknown>,
  of: () => SessionRecord,
): CheckpointTaker {
  return {
    take: async ({ origin, ...input }) => {
      const { turn: own, round } = origin;
      return (await call("checkpoint.take", { ...input, session: of().id, turn: own, round })) as TakenCheckpoint; // the answer of `workerCheckpointMethods`
    },
    release: async (directory, own) => {
      await call("checkpoint.release", { session: of().id, turn: own, directory });
    },
    directoryOf: async (path, env, within) => projectDirectory(path, env, within),
  };
}
