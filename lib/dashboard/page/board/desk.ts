import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Status } from "../../../contracts/board/board.js";
import type { Services } from "../services.js";
import { keptCursor } from "../state/board/cursor.js";
import { filtered } from "../state/board/filter.js";
import { kept } from "../state/board/selection.js";
import { columnsOf, FIRST_VIEW, type ViewState } from "../state/board/view.js";
import { createStore, type Store } from "../state/store.js";
import { useStore } from "../state/use-store.js";
import type { PageBoard } from "./board.js";
import type { Dragging } from "./drag/dragging.js";

/** A board and how a user works at it in this window. */
export interface BoardController {
  readonly services: Services;
  readonly board: PageBoard;
  readonly view: Store<ViewState>;
  /** Ids of the cards that the filter takes, in their columns. */
  readonly shown: Store<Readonly<Record<Status, readonly string[]>>>;
  readonly drag: Store<Dragging | undefined>;
  /** Cards whose menu is open. */
  readonly menu: Store<readonly string[] | undefined>;
  /** The newest move of the cursor that a card has taken the focus for. */
  readonly handled: { focus: number };
  close(): void;
}

/** Lay a board on the desk. `first`: how it is looked at first. */
export function createBoardController(
  services: Services,
  board: PageBoard,
  first: Partial<ViewState>,
): BoardController {
  const view = createStore<ViewState>({ ...FIRST_VIEW, ...first });
  const shown = createStore(filtered(board.state.get(), view.get().filter));
  const look = (): void => {
    const state = board.state.get();
    const before = shown.get();
    const after = filtered(state, view.get().filter, before);
    shown.set(after);
    view.update((now) => {
      const selection = kept(now.selection, (id) => state.cards.has(id));
      const names = columnsOf(now).map(({ name }) => name);
      const cursor =
        before === after ? now.cursor : keptCursor({ names, columns: before }, { names, columns: after }, now.cursor);
      return selection === now.selection && cursor === now.cursor ? now : { ...now, selection, cursor };
    });
  };
  const leave = [board.state.subscribe(look), view.subscribe(look)];
  return {
    services,
    board,
    view,
    shown,
    drag: createStore<Dragging | undefined>(undefined),
    menu: createStore<readonly string[] | undefined>(undefined),
    handled: { focus: 0 },
    close: () => {
      for (const one of leave) one();
    },
  };
}

const DeskContext = createContext<BoardController | undefined>(undefined);

/** Hands the desk to everything on it. */
export const BoardControllerProvider = DeskContext.Provider;

/** The desk that this stands on. */
export function useBoardController(): BoardController {
  const desk = useContext(DeskContext);
  if (desk === undefined) throw new Error("a component stands outside of a desk");
  return desk;
}

/** Something of how the board is looked at. */
export const useView = <T>(pick: (view: ViewState) => T): T => useStore(useBoardController().view, pick);
