import * as z from "zod";
import type { TaskId } from "../../base/units.js";
import type { Swarm } from "../../contracts/board/orchestration.js";

/** Begins every comment that is a value on the blackboard of a swarm; the newest value of a key holds. */
export const BLACKBOARD = "[swarm:blackboard]";

/** A value for the blackboard as the text of a comment. */
const entryText = (key: string, value: unknown): string => `${BLACKBOARD} ${JSON.stringify({ key, value })}`;

const id = z.custom<TaskId>((value) => typeof value === "string" && /^t_[0-9a-f]{8}$/.test(value));
const topology = z.object({
  key: z.literal("topology"),
  value: z.object({ worker_ids: z.array(id), verifier_id: id, synthesizer_id: id }),
});

/** The graph of a swarm under the key `topology`. */
export function topologyNote({ root_id, worker_ids, verifier_id, synthesizer_id }: Swarm): string {
  return entryText("topology", { root_id, worker_ids, verifier_id, synthesizer_id });
}

/** The ids in such a comment, or undefined when it is none. */
export function topologyIn(text: string): Omit<Swarm, "root_id" | "created"> | undefined {
  if (!text.startsWith(BLACKBOARD)) return undefined;
  try {
    const parsed = topology.safeParse(JSON.parse(text.slice(BLACKBOARD.length)));
    return parsed.success ? parsed.data.value : undefined;
  } catch {
    return undefined; // invalid JSON is not a topology: the answer that was asked for
  }
}
