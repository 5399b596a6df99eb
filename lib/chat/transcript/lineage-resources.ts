import { runCleanupsTogether } from "../../base/async/cleanup.js";
import { LIMITS } from "../../base/limits.js";
import type { SessionId } from "../../base/units.js";

interface Entry {
  close?(): Promise<void>;
  /** Nothing of it is at work. */
  idle?(): boolean;
  /** It holds nothing that a later conversation of the lineage could ask for. */
  empty?(): boolean;
}

/** Lineages whose entries are remembered although nothing of them is at work; open conversations are far fewer. */
const REMEMBERED = LIMITS.openConversations * 4;

/** What the tools of a lineage keep although its conversation is opened again: its background processes (core part, 17.5). */
export interface LineageEntries {
  /** Undefined: an entry of this name ends with the conversation. */
  of<T extends Entry>(name: string, make: () => T): T | undefined;
  /** The conversation is let go: a lineage whose entries hold nothing is forgotten, with all that those refer to. */
  leave(): void;
}

/** The lasting entries of all lineages of this owner. */
export interface LineageResources {
  of(root: SessionId): LineageEntries;
  /** The entry, when something has made it. */
  peek(root: SessionId, name: string): unknown;
  /** The entries of this name of all lineages. */
  every(name: string): readonly unknown[];
  /** The same with the lineage of each. */
  named(name: string): readonly (readonly [root: SessionId, entry: unknown])[];
  /** End what a lineage has kept. Harmless twice. */
  close(root: SessionId): Promise<void>;
  stop(): Promise<void>;
}

/** Names of the entries that last. */
const NAMES: ReadonlySet<string> = new Set(["process", "process notices", "browser"]);

export function createLineageResources(): LineageResources {
  const all = new Map<SessionId, Map<string, Entry>>();
  const close = async (root: SessionId) => {
    const entries = [...(all.get(root)?.values() ?? [])];
    all.delete(root);
    await runCleanupsTogether(entries.map((entry) => async () => entry.close?.()));
  };
  return {
    of: (root) => {
      use(all, root);
      return { of: (name, make) => entryOf(all, root, { name, make }), leave: () => forgetEmpty(all, root) };
    },
    peek: (root, name) => all.get(root)?.get(name),
    every: (name) => [...all.values()].flatMap((entries) => entries.get(name) ?? []),
    named: (name) =>
      [...all].flatMap(([root, entries]) => {
        const entry = entries.get(name);
        return entry === undefined ? [] : [[root, entry] as const];
      }),
    close,
    stop: () => runCleanupsTogether([...all.keys()].map((root) => () => close(root))),
  };
}

type All = Map<SessionId, Map<string, Entry>>;

/** The lineage becomes the one that was used last; idle ones that were not used for a long time are forgotten. */
function use(all: All, root: SessionId): void {
  const mine = all.get(root) ?? new Map<string, Entry>();
  all.delete(root);
  all.set(root, mine);
  for (const [other, entries] of all) {
    if (all.size <= REMEMBERED) return;
    if (other !== root && [...entries.values()].every((entry) => entry.idle?.() ?? true)) all.delete(other);
  }
}

function forgetEmpty(all: All, root: SessionId): void {
  const entries = all.get(root);
  if (entries !== undefined && [...entries.values()].every((entry) => entry.empty?.() ?? true)) all.delete(root);
}

function entryOf<T extends Entry>(
  all: All,
  root: SessionId,
  { name, make }: { name: string; make: () => T },
): T | undefined {
  if (!NAMES.has(name)) return undefined;
  const entries = all.get(root) ?? new Map<string, Entry>();
  all.set(root, entries);
  const entry = entries.get(name) ?? make();
  entries.set(name, entry);
  return entry as T; // each tool uses its own name and only ever puts one type there
}
