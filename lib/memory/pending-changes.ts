/** Changes that wait until a person approves or rejects them. */

import { AppError } from "../base/errors.js";
import type { MemoryChange, MemoryOutcome, PendingMemory } from "../contracts/memory/memory.js";
import type { Book } from "./book.js";
import { type ChangePlace, decideChange, previewOf, visibleEntries } from "./change.js";
import { type ChangeTarget, makeChange } from "./make-change.js";
import { placeOfScope, sightOfFile } from "./places.js";
import { nearestEntries } from "./words.js";

const PENDING_AT_MOST = 50;

export interface StageRequest extends ChangePlace {
  readonly change: MemoryChange;
  /** Why it is not made at once. */
  readonly why: string;
}

/**
 * Keep a change for a person. The caller holds the lock.
 *
 * @returns the pending change, also one that is equal; an outcome: it would be refused, or is known already
 * @throws E_BUSY when too many wait
 */
export function stageChange(
  { change, sight, author, why }: StageRequest,
  { store, rules }: ChangeTarget,
  newId: () => string,
): PendingMemory | MemoryOutcome {
  const book = store.read();
  // The person who decides sees what is near; the model is not asked about it.
  const asked = change.action === "add" ? { contradicts: "checked", ...change } : change;
  const { outcome } = decideChange(asked, book, { sight, author }, rules);
  if (outcome.done === "nothing" || outcome.done === "known") return outcome;
  const pinned = pinEntry(change, outcome);
  const { scope, of } = outcome;
  const key = JSON.stringify([pinned, scope, of]);
  const same = book.pending.find((one) => JSON.stringify([one.change, one.scope, one.of]) === key);
  if (same !== undefined) return same;
  if (book.pending.length >= PENDING_AT_MOST)
    throw new AppError("E_BUSY", `${PENDING_AT_MOST} changes of the memory wait for a person`, {
      hint: "agent memory pending lists them",
    });
  const near = change.action === "add" ? nearestEntries(change.content, visibleEntries(book, sight, rules)) : [];
  const staged: PendingMemory = {
    id: newId(),
    change: pinned,
    scope,
    of,
    author,
    created_at: rules.now(),
    why,
    near: near.map((entry) => previewOf(entry, rules.now())),
  };
  store.write(book, { pending: [...book.pending, staged] });
  return staged;
}

/** A change that waits names its entry by the id: other entries may match its words by then. */
const pinEntry = (change: MemoryChange, outcome: Exclude<MemoryOutcome, { done: "nothing" }>): MemoryChange =>
  change.action === "add" ? change : { ...change, which: outcome.entry.id };

/** Make a pending change. It keeps waiting when it is refused. The caller holds the lock. @throws E_NOT_FOUND */
export async function approveChange(id: string, target: ChangeTarget): Promise<MemoryOutcome> {
  const { change, scope, of, author } = findPending(target.store.read(), id);
  const sight = sightOfFile(placeOfScope(change.target, scope, of));
  // A person has read both texts.
  const agreed = change.action === "add" ? { contradicts: "checked", ...change, scope } : change;
  return makeChange(agreed, { sight, author }, target, { settles: id });
}

/** Drop a pending change. The caller holds the lock. @throws E_NOT_FOUND */
export function rejectChange(id: string, { store }: ChangeTarget): PendingMemory {
  const book = store.read();
  const found = findPending(book, id);
  store.write(book, { pending: book.pending.filter((one) => one.id !== found.id) });
  return found;
}

function findPending({ pending }: Book, id: string): PendingMemory {
  const found = pending.find((one) => one.id === id);
  if (found !== undefined) return found;
  throw new AppError("E_NOT_FOUND", `no such change: ${id}`, { hint: "agent memory pending lists those that wait" });
}
