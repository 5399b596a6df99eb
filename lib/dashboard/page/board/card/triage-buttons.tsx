import type { Card } from "../../../../proto/board-explain.js";

/** Specify and Decompose, at the foot of a card in triage. */
export function TriageButtons(_: { card: Card }) {
  return null;
}
