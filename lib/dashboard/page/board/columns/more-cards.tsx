import { useState } from "preact/hooks";
import type { Status } from "../../../../contracts/board/board.js";
import { formatGroupedCount } from "../../words/amounts.js";
import { useBoard, useBoardState } from "../board-context.js";
import { useBoardController } from "../desk.js";

/** Cards of each column that are read next. */
const NEXT = [2_000, 10_000];

/** Stands under a column that has more tasks than were read. */
export function MoreCards({ name }: { name: Status }) {
  const board = useBoard();
  const { services } = useBoardController();
  const [busy, setBusy] = useState(false);
  const loaded = useBoardState(({ columns }) => columns[name].length);
  const total = useBoardState(({ totals }) => totals[name]);
  if (loaded >= total || loaded === 0) return null;
  const more = (): void => {
    setBusy(true);
    const limit = NEXT.find((n) => n > loaded) ?? total;
    board
      .reload({ limit })
      .catch(services.failed)
      .finally(() => setBusy(false));
  };
  return (
    <button type="button" class="quiet more-cards" disabled={busy} onClick={more}>
      {busy ? "Reading…" : `${formatGroupedCount(total - loaded)} more`}
    </button>
  );
}
