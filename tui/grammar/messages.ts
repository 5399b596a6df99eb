import type { Painted } from "./code.js";

/** A grammar has coloured a piece of code. */
export interface PaintedMessage {
  readonly type: "painted";
  /** `codeKey` of the code. */
  readonly key: string;
  readonly painted: Painted;
}
