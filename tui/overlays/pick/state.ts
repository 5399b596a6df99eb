import type { Subject } from "../confirm/state.js";

export interface PickItem {
  readonly value: string;
  readonly label: string;
  /** Dimmed behind the label. */
  readonly detail: string;
  /** Why it can not be chosen; it is shown and refused. */
  readonly refused?: string;
}

/** A list to choose from; typing filters. The choice is a message `picked`. */
export interface PickOverlay {
  readonly kind: "pick";
  /** Who asked: `board.assign`. Its room takes the answer. */
  readonly asker: string;
  readonly title: string;
  /** Undefined while they are on their way. */
  readonly items: readonly PickItem[] | undefined;
  readonly filter: string;
  readonly at: number;
  readonly subject: Subject;
}

export interface Picked {
  readonly type: "picked";
  readonly asker: string;
  readonly value: string;
  readonly subject: Subject;
}
