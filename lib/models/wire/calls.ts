import type { ToolCall } from "../../contracts/models/model.js";
import { repairJson } from "../core/repair-json.js";

/** A call as it comes in, piece by piece. */
export interface CallSlot {
  index: number;
  id: string;
  name: string;
  arguments: string;
  /** Members that must be sent back unchanged. */
  extra: Record<string, unknown>;
  announced: boolean;
}

/** Makes the ids of calls that came without one distinct in the conversation. */
export const idBaseOf = (requestId: string): string => `call_${requestId.replace(/[^A-Za-z0-9_-]/g, "_")}`;

/** The calls of one answer. `mended`: the arguments of one were not JSON; they may end in the middle. */
export function toCalls(slots: readonly CallSlot[], idBase: string): { calls: ToolCall[]; mended: boolean } {
  let mended = false;
  const taken = new Set<string>();
  const calls = slots.map((slot, place) => {
    const repaired = repairJson(slot.arguments);
    if (!repaired.ok || (repaired.changed && slot.arguments.trim() !== "")) mended = true;
    const id = uniqueId(slot.id === "" ? `${idBase}_${place}` : slot.id, taken);
    const extra = Object.keys(slot.extra).length > 0 ? { extra: slot.extra } : {};
    return { id, name: slot.name, arguments: repaired.ok ? repaired.json : slot.arguments, ...extra };
  });
  return { calls, mended };
}

/** Results are matched by id, so an id that is missing or used twice gets a new one. */
function uniqueId(id: string, taken: Set<string>): string {
  let unique = id;
  for (let n = 2; taken.has(unique); n++) unique = `${id}_${n}`;
  taken.add(unique);
  return unique;
}
