import * as z from "zod";
import {
  damagedMemoryShape,
  memoryEntryShape,
  memoryFileShape,
  memoryOutcomeShape,
  memoryStatusShape,
  memoryTarget,
  pendingMemoryShape,
} from "../shapes/memory.js";
import { message } from "../shapes/sessions.js";
import type { Results } from "./define.js";

const entries = z.object({ entries: z.array(memoryEntryShape) });

/** Answers of the methods about the memory. */
export const MEMORY_RESULTS: Results = {
  "memory.accept": z.object({ accepted: z.array(damagedMemoryShape) }),
  "memory.approve": memoryOutcomeShape,
  "memory.edit": memoryOutcomeShape,
  "memory.export": entries.extend({ expired: z.array(memoryEntryShape), pending: z.array(pendingMemoryShape) }),
  "memory.forget": memoryOutcomeShape,
  "memory.list": entries,
  "memory.off": z.object({ enabled: z.boolean() }),
  "memory.pending": z.object({ pending: z.array(pendingMemoryShape) }),
  "memory.reject": z.object({ rejected: pendingMemoryShape }),
  "memory.reset": z.object({ target: memoryTarget, removed: z.int() }),
  "memory.search": entries,
  "memory.setup": z.object({ enabled: z.boolean(), approval: z.enum(["on", "off"]).nullable() }),
  "memory.show": z.object({
    files: z.array(memoryFileShape),
    pending: z.int(),
    damaged: z.array(damagedMemoryShape),
  }),
  "memory.status": memoryStatusShape,
  "memory.why": z.object({
    entry: memoryEntryShape,
    session: z.object({ id: z.string(), title: z.string().nullable(), exists: z.boolean() }).nullable(),
    messages: z.array(message),
  }),
};
