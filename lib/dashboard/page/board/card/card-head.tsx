import type { Card } from "../../../../contracts/board/explain.js";
import { Icon } from "../../shell/icon.js";
import { toggleCard } from "../../state/board/selection.js";
import { useBoardController } from "../desk.js";
import { openMenu } from "../menu/card-menu.js";

/** First line of a card: how bad it stands, its id, how urgent it is; to select it, and what can be done with it. */
export function CardHead({ card, selected }: { card: Card; selected: boolean }) {
  const desk = useBoardController();
  const { id, title, priority, warnings } = card;
  return (
    <div class="card-head">
      {warnings.highest_severity !== null && (
        <span class={`card-severity card-severity-${warnings.highest_severity}`} title={card.diagnostics[0]?.title}>
          <Icon name="warning" />
          <span class="sr-only">{warnings.highest_severity}: </span>
          {warnings.count}
        </span>
      )}
      <code class="card-id">{id}</code>
      {priority !== 0 && (
        <span class={`chip priority${priority > 0 ? " urgent" : ""}`} title={`Priority ${priority}`}>
          P{priority}
        </span>
      )}
      <span class="grow" />
      <input
        type="checkbox"
        class="card-check"
        aria-label={`Select ${title}`}
        checked={selected}
        tabIndex={-1}
        onChange={() => desk.view.update((now) => ({ ...now, selection: toggleCard(now.selection, id) }))}
      />
      <button
        type="button"
        class="icon-button card-more"
        aria-label={`Actions for ${title}`}
        tabIndex={-1}
        onClick={() => openMenu(desk, [id])}
      >
        <Icon name="more" />
      </button>
    </div>
  );
}
