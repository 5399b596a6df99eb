import type { Status } from "../../../../contracts/board/board.js";
import { ranged, toggleCard } from "../../state/board/selection.js";
import type { BoardController } from "../desk.js";

/** A click with Ctrl or Shift selects the card instead of opening it. */
export function selectByClick(desk: BoardController, id: string, event: MouseEvent): void {
  const { shiftKey } = event;
  if (!(shiftKey || event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  desk.view.update((now) => {
    const selection = shiftKey ? ranged(fromCursor(now), id, columnOf(desk, id)) : toggleCard(now.selection, id);
    return { ...now, selection, cursor: id };
  });
}

type View = ReturnType<BoardController["view"]["get"]>;

/** A range without a beginning begins where the cursor is. */
const fromCursor = ({ selection, cursor }: View): View["selection"] =>
  selection.anchor === undefined && cursor !== undefined ? { ...selection, anchor: cursor } : selection;

function columnOf({ board, shown }: BoardController, id: string): readonly string[] {
  const status: Status | undefined = board.state.get().cards.get(id)?.status;
  return status === undefined ? [] : shown.get()[status];
}
