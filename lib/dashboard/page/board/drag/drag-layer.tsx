import { Icon } from "../../shell/icon.js";
import { useStore } from "../../state/use-store.js";
import { useBoardController } from "../desk.js";

/** What hangs on the pointer, and the places for it at the foot of the board. */
export function DragLayer() {
  const { drag } = useBoardController();
  const now = useStore(drag, (one) => one);
  if (now === undefined) return null;
  return (
    <>
      <div class="drop-zones">
        <div class={`drop-zone${now.over === "archived" ? " drop-over" : ""}`} data-drop="archived">
          <Icon name="archive" /> Archive
        </div>
        <div class={`drop-zone drop-trash${now.over === "trash" ? " drop-over" : ""}`} data-drop="trash">
          <Icon name="trash" /> Delete
        </div>
      </div>
      <div class="ghost" style={{ transform: `translate(${now.x + 10}px, ${now.y + 10}px)` }}>
        {now.ids.length > 1 && <span class="count">{now.ids.length}</span>} <span class="ghost-title">{now.title}</span>
      </div>
    </>
  );
}
