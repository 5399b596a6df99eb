import type { BoardSlug } from "../../base/units.js";

/**
 * Boards on which every subscription hears of the usual kinds of events alone. Only a subscription that names kinds of its own changes that, so
 * most commits of most boards are of no concern to who delivers.
 */
export interface UsualKinds {
  has(board: BoardSlug): boolean;
  /** No subscription of the board was found to name kinds. One that was asked for since counts more. */
  found(board: BoardSlug): void;
  /** A subscription that names kinds is about to be written. */
  widen(board: BoardSlug): void;
  /** The board is gone; another one may come to have its name. */
  forget(board: BoardSlug): void;
}

export function createUsualKinds(): UsualKinds {
  const usual = new Set<BoardSlug>();
  const widened = new Set<BoardSlug>();
  return {
    has: (board) => usual.has(board),
    found: (board) => {
      if (!widened.has(board)) usual.add(board);
    },
    widen: (board) => {
      widened.add(board);
      usual.delete(board);
    },
    forget: (board) => {
      widened.delete(board);
      usual.delete(board);
    },
  };
}
