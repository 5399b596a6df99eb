import type { Card } from "../../../../contracts/board/explain.js";
import { TriageActions } from "../triage/triage-actions.js";

/** Specify and Decompose, at the foot of a card in triage. */
export function TriageButtons({ card }: { card: Card }) {
  return <TriageActions task={card} />;
}
