import type { Card } from "../../../../contracts/board/explain.js";
import { measureCardAge } from "../../state/board/age.js";
import { formatSpan } from "../../words/time.js";
import { useNow } from "../now.js";

/** How long a card stands where it is; coloured when that is long. */
export function CardAge({ card, label }: { card: Card; label: string }) {
  const { seconds, level } = measureCardAge(card, useNow());
  const running = card.status === "running";
  const title = running ? `Last heartbeat ${formatSpan(seconds)} ago` : `${label} for ${formatSpan(seconds)}`;
  return (
    <span class={`age age-${level}`} title={title}>
      <span class="sr-only">{running ? "Last heartbeat " : `${label} for `}</span>
      {formatSpan(seconds)}
    </span>
  );
}
