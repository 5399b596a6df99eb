import type { State } from "../model/state.js";
import type { Look } from "./screen.js";

/** How a front end shows its state on a terminal. Frames are asked for by the loop, never drawn by themselves. */
export interface Surface {
  /** Bytes that bring the terminal to this state, cursor included; "" when nothing has changed. */
  frame(state: State): string;
  resize(columns: number, rows: number): void;
  /** From the next frame on. */
  look(look: Look): void;
  /** Forget what the terminal shows: the next frame writes everything. */
  forget(): void;
  /** Bytes before another program writes to the terminal: what is not to stay is taken away. */
  aside(): string;
  /** Told when a frame is wanted although the state is the same: a picture can be shown now. Absent: never. */
  onReady?(wanted: () => void): void;
  close(): void;
}
