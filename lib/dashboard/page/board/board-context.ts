import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Card } from "../../../contracts/board/explain.js";
import type { BoardState } from "../state/board/state.js";
import { useStore } from "../state/use-store.js";
import type { PageBoard } from "./board.js";

const BoardContext = createContext<PageBoard | undefined>(undefined);

/** Hands the board that is shown to everything in it. */
export const BoardProvider = BoardContext.Provider;

/** The board that is shown. */
export function useBoard(): PageBoard {
  const board = useContext(BoardContext);
  if (board === undefined) throw new Error("a component stands outside of a board");
  return board;
}

/** A part of the board's state; shown again when that changes. */
export const useBoardState = <T>(pick: (state: BoardState) => T): T => useStore(useBoard().state, pick);

/** One card, as long as it is loaded. */
export const useCard = (id: string): Card | undefined => useBoardState(({ cards }) => cards.get(id));
