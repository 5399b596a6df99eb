import type { Span } from "../draw/canvas.js";

/** One field of the status line. `brief`: what is left of it where there is little room. `kept`: it is not dropped. */
export interface Field {
  readonly spans: readonly Span[];
  readonly brief?: readonly Span[];
  readonly kept?: boolean;
}
