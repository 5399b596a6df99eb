import { runCleanupsTogether } from "../../base/async/cleanup.js";
import type { ToolState } from "../../tools/core/define.js";
import type { LineageEntries } from "./lineage-resources.js";

/** Durable records of the lineage, as the session store or the owner of a worker keeps them. */
export interface LineageRecords {
  record(name: string): Promise<string | undefined>;
  setRecord(name: string, json: string): Promise<void>;
}

/** Entries that say what the model has read. */
const FORGOTTEN = ["files", "directory_context"] as const;

export interface ConversationTools extends ToolState {
  /** What the calls have told the model is not before its eyes any more: files read, instructions of directories. Processes go on. */
  forget(): void;
  /** Let go of background processes and caches. Harmless twice. */
  close(): Promise<void>;
}

/** What the tools of one conversation share, from its first turn until it is let go. */
export function createToolState(
  launchDir: string,
  records: LineageRecords,
  resources?: LineageEntries,
): ConversationTools {
  const entries = new Map<string, { close?(): Promise<void> }>();
  return {
    cwd: launchDir,
    launchDir,
    entry<T extends { close?(): Promise<void> }>(name: string, make: () => T): T {
      const lasts = resources?.of(name, make);
      if (lasts) return lasts;
      const known = entries.get(name);
      if (known) return known as T; // each tool uses its own name and only ever puts one type there
      const made = make();
      entries.set(name, made);
      return made;
    },
    forget: () => {
      for (const name of FORGOTTEN) entries.delete(name);
    },
    load: (name) => records.record(name),
    save: (name, json) => records.setRecord(name, json),
    close: async () => {
      const closing = [...entries.values()];
      entries.clear();
      resources?.leave();
      await runCleanupsTogether(closing.map((entry) => async () => entry.close?.()));
    },
  };
}
