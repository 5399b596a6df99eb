import type { Card } from "../../../../contracts/board/explain.js";
import { ageOf } from "../../state/board/age.js";
import { span } from "../../words/time.js";
import { useNow } from "../now.js";

/** How long a card stands where it is; coloured when that is long. */
export function CardAge({ card, label }: { card: Card; label: string }) {
  const { seconds, level } = ageOf(card, useNow());
  const running = card.status === "running";
  const title = running ? `Last sign of life ${span(seconds)} ago` : `${label} for ${span(seconds)}`;
  return (
    <span class={`age age-${level}`} title={title}>
      <span class="sr-only">{running ? "Last sign of life " : `${label} for `}</span>
      {span(seconds)}
    </span>
  );
}
