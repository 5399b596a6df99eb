import { Icon } from "../../shell/icon.js";
import { NO_SELECTION } from "../../state/board/selection.js";
import { archiveCards, assignCards, deleteCards, prioritizeCards } from "../actions/bulk.js";
import { type BoardController, useBoardController, useView } from "../desk.js";
import { openMenu } from "../menu/card-menu.js";

type Act = (desk: BoardController, ids: readonly string[]) => Promise<void>;

const ACTS: readonly { readonly label: string; readonly act: Act }[] = [
  { label: "Assign", act: assignCards },
  { label: "Priority", act: prioritizeCards },
  { label: "Archive", act: archiveCards },
  { label: "Delete", act: deleteCards },
];

/** What can be done with the selected cards, as long as there are any. */
export function BulkBar() {
  const desk = useBoardController();
  const selected = useView(({ selection }) => selection.ids);
  if (selected.size === 0) return null;
  const ids = [...selected];
  return (
    <section class="bulk" aria-label="Selected tasks">
      <strong role="status">{ids.length} selected</strong>
      <button type="button" onClick={() => openMenu(desk, ids)}>
        Move
      </button>
      {ACTS.map(({ label, act }) => (
        <button key={label} type="button" onClick={() => void act(desk, ids).catch(desk.services.failed)}>
          {label}
        </button>
      ))}
      <button
        type="button"
        class="icon-button"
        aria-label="Clear the selection"
        onClick={() => desk.view.update((now) => ({ ...now, selection: NO_SELECTION }))}
      >
        <Icon name="close" />
      </button>
    </section>
  );
}
