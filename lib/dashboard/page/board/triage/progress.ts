import { createStore, type Store } from "../../state/store.js";
import type { PageBoard } from "../board.js";

/** What a model is asked to make of a task, or what came of it. */
export type TriageProgress =
  | { readonly state: "working"; readonly what: "specify" | "decompose"; readonly since: number }
  | { readonly state: "failed"; readonly what: "specify" | "decompose"; readonly reason: string };

const stores = new WeakMap<PageBoard, Store<ReadonlyMap<string, TriageProgress>>>();

/** By task: card and drawer tell the same. */
export function getTriageProgress(board: PageBoard): Store<ReadonlyMap<string, TriageProgress>> {
  const known = stores.get(board) ?? createStore<ReadonlyMap<string, TriageProgress>>(new Map());
  stores.set(board, known);
  return known;
}

/** The same with one entry set, or taken away. */
export function withProgress(
  all: ReadonlyMap<string, TriageProgress>,
  id: string,
  progress: TriageProgress | undefined,
): ReadonlyMap<string, TriageProgress> {
  const next = new Map(all);
  if (progress === undefined) next.delete(id);
  else next.set(id, progress);
  return next;
}
