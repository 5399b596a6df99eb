import { useLayoutEffect, useRef } from "preact/hooks";
import type { Card } from "../../../../contracts/board/explain.js";
import { Icon } from "../../shell/icon.js";
import { useStore } from "../../state/use-store.js";
import { cardAddress } from "../actions/open.js";
import { useCard } from "../board-context.js";
import { useBoardController, useView } from "../desk.js";
import { TriageActions } from "../triage/triage-actions.js";
import { selectByClick } from "./card-clicks.js";
import { CardHead } from "./card-head.js";
import { CardMarks } from "./card-marks.js";

/** Titles beyond that may be cut off on a card. */
const CUT = 70;

/** A task in its column. The Tab key goes from column to column, arrows go from card to card. Its title is the link that opens it; where it stands in its column is for readers of the screen. */
export function CardItem({ id, at, of }: { id: string; at: number; of: number }) {
  const card = useCard(id);
  return card === undefined ? null : <Shown card={card} at={at} of={of} />;
}

function Shown({ card, at, of }: { card: Card; at: number; of: number }) {
  const { id, title, status } = card;
  const desk = useBoardController();
  const selected = useView(({ selection }) => selection.ids.has(id));
  const cursor = useView((view) => view.cursor === id);
  const open = useStore(desk.services.route, (route) => route.id === id);
  const lifted = useStore(desk.drag, (drag) => drag?.ids.includes(id) ?? false);
  const link = useFocus(id);
  const marks = `${selected ? " selected" : ""}${cursor ? " at-cursor" : ""}${open ? " open" : ""}${lifted ? " lifted" : ""}`;
  return (
    <li class={`card card-${status}${marks}`} data-card={id} aria-posinset={at + 1} aria-setsize={of}>
      <CardHead card={card} selected={selected} />
      <a
        class="card-title"
        href={cardAddress(desk, id)}
        ref={link}
        title={title.length > CUT ? title : undefined}
        draggable={false}
        tabIndex={cursor || at === 0 ? 0 : -1}
        aria-current={open ? "true" : undefined}
        onClick={(event) => selectByClick(desk, id, event)}
        onFocus={() => desk.view.update((now) => (now.cursor === id ? now : { ...now, cursor: id }))}
      >
        {title}
      </a>
      {status === "blocked" && card.block_reason !== null && (
        <p class="card-reason">
          <Icon name="warning" /> <span>{card.block_reason}</span>
        </p>
      )}
      <CardMarks card={card} />
      {status === "triage" && <TriageButtons card={card} />}
    </li>
  );
}

/** Takes the focus, once, when keys have moved the cursor to this card; also when the card is drawn only because of that. */
function useFocus(id: string) {
  const { handled } = useBoardController();
  const link = useRef<HTMLAnchorElement>(null);
  const wanted = useView((now) => (now.cursor === id ? now.focus : 0));
  useLayoutEffect(() => {
    if (wanted <= handled.focus) return;
    handled.focus = wanted;
    link.current?.focus({ preventScroll: true });
  }, [wanted, handled]);
  return link;
}

/** Specify and Decompose, at the foot of a card in triage. */
function TriageButtons({ card }: { card: Card }) {
  return <TriageActions task={card} />;
}
