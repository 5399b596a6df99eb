import type { Status } from "../../../../contracts/board/board.js";

/** Where cards can be let go. */
export type DropPlace = Status | "trash";

/** Cards that hang on a pointer. */
export interface Dragging {
  readonly ids: readonly string[];
  readonly title: string;
  readonly x: number;
  readonly y: number;
  /** What is under the pointer. */
  readonly over: DropPlace | undefined;
}
