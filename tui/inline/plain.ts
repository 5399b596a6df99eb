import type { Look } from "../screen.js";
import type { Surface } from "../surface.js";
import { sgrTable } from "../theme/sgr.js";
import { rowBytes, rowText } from "./bytes.js";
import { createScribe } from "./scribe.js";

/** Finished lines one after the other and nothing else: for pipes, terminals without cursor movements, and screen readers. */
export function plainSurface(columns: number, first: Look): Surface {
  const scribe = createScribe();
  let sgr = first.depth === "none" ? undefined : sgrTable(first.depth, first.palette);
  let width = columns;
  return {
    frame: (state) =>
      scribe
        .write(state, width)
        .map((row) => `${sgr === undefined ? rowText(row) : rowBytes(row, sgr)}\n`)
        .join(""),
    resize: (now) => {
      width = now;
    },
    look: ({ depth, palette }) => {
      sgr = depth === "none" ? undefined : sgrTable(depth, palette);
    },
    forget: () => undefined,
    aside: () => "",
    close: () => undefined,
  };
}
