import type { Status } from "../../../../contracts/board/board.js";
import { COLUMNS, type ColumnKind } from "./columns.js";
import { EVERYTHING, type Filter } from "./filter.js";
import { NO_SELECTION, type Selection } from "./selection.js";

/** How a user looks at a board: nothing of it is stored with the board. */
export interface ViewState {
  readonly filter: Filter;
  readonly archived: boolean;
  /** Running cards stand under the profile that works them. */
  readonly lanes: boolean;
  readonly selection: Selection;
  /** The card that keys act on. */
  readonly cursor: string | undefined;
  /** Bumped when the cursor was moved by keys, so that the card takes the focus. */
  readonly focus: number;
  /** Column in which a task is being made. */
  readonly creating: Status | undefined;
  /** The list of keys is open. */
  readonly help: boolean;
}

/** How a board is looked at first. */
export const FIRST_VIEW: ViewState = {
  filter: EVERYTHING,
  archived: false,
  lanes: false,
  selection: NO_SELECTION,
  cursor: undefined,
  focus: 0,
  creating: undefined,
  help: false,
};

/** The columns that are shown. */
export const columnsOf = ({ archived }: Pick<ViewState, "archived">): readonly ColumnKind[] =>
  archived ? COLUMNS : COLUMNS.filter(({ name }) => name !== "archived");
