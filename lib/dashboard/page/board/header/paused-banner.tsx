import { Icon } from "../../shell/icon.js";
import { useBoardState } from "../board-context.js";
import { useDesk } from "../desk.js";
import { resumeBoard } from "./board-actions.js";

/** Says that nothing is started, as long as that is so. */
export function PausedBanner() {
  const desk = useDesk();
  const paused = useBoardState((state) => state.paused);
  const slug = useBoardState((state) => state.board);
  if (!paused) return null;
  return (
    <div class="banner" role="status">
      <Icon name="pause" /> This board is paused: no worker is started.
      <button type="button" onClick={() => void resumeBoard(desk, slug).catch(desk.services.failed)}>
        Resume
      </button>
    </div>
  );
}
