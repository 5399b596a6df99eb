import type { Status } from "../../../../contracts/board/board.js";
import type { Card } from "../../../../contracts/board/explain.js";
import { COLUMNS, everyColumn } from "./columns.js";

/** What the page knows of one board. */
export interface BoardState {
  readonly phase: "loading" | "ready" | "failed";
  /** Why it has failed. */
  readonly problem: string | undefined;
  /** Name of the board that is shown; empty until the owner has told it. */
  readonly board: string;
  readonly cards: ReadonlyMap<string, Card>;
  /** Ids of the loaded cards in the order of their columns. */
  readonly columns: Readonly<Record<Status, readonly string[]>>;
  /** How many tasks the board has of each; more than are loaded when it is large. */
  readonly totals: Readonly<Record<Status, number>>;
  readonly tenants: readonly string[];
  readonly assignees: readonly string[];
  readonly paused: boolean;
  /** Every event up to this one is in what is shown. */
  readonly cursor: number;
  /** Seconds that the owner's clock is ahead of this one. */
  readonly ahead: number;
}

/** A board of which nothing is known yet. */
export const NO_BOARD: BoardState = {
  phase: "loading",
  problem: undefined,
  board: "",
  cards: new Map(),
  columns: everyColumn<readonly string[]>([]),
  totals: everyColumn(0),
  tenants: [],
  assignees: [],
  paused: false,
  cursor: 0,
  ahead: 0,
};

/** Every task of the columns that were asked for is loaded. */
export const isFullyLoaded = ({ columns, totals }: BoardState): boolean =>
  COLUMNS.every(({ name }) => name === "archived" || columns[name].length >= totals[name]);
