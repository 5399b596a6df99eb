import { createStore, type Store } from "../../state/store.js";
import type { Board } from "../board.js";

/** What a model is asked to make of a task, or what came of it. */
export type Progress =
  | { readonly state: "working"; readonly what: "specify" | "decompose"; readonly since: number }
  | { readonly state: "failed"; readonly what: "specify" | "decompose"; readonly reason: string };

const stores = new WeakMap<Board, Store<ReadonlyMap<string, Progress>>>();

/** By task: card and drawer tell the same. */
export function progressOf(board: Board): Store<ReadonlyMap<string, Progress>> {
  const known = stores.get(board) ?? createStore<ReadonlyMap<string, Progress>>(new Map());
  stores.set(board, known);
  return known;
}

/** The same with one entry set, or taken away. */
export function withProgress(
  all: ReadonlyMap<string, Progress>,
  id: string,
  progress: Progress | undefined,
): ReadonlyMap<string, Progress> {
  const next = new Map(all);
  if (progress === undefined) next.delete(id);
  else next.set(id, progress);
  return next;
}
