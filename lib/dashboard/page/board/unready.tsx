import type { ComponentChildren } from "preact";
import { formatRoute } from "../state/route.js";
import { useBoard, useBoardState } from "./board-context.js";
import { saveBoard } from "./header/boards.js";

/** Stands for the columns as long as there is nothing to show in them: not read yet, or not to be read. */
export function Unready({ children }: { children: ComponentChildren }) {
  const phase = useBoardState((state) => state.phase);
  const problem = useBoardState((state) => state.problem);
  const board = useBoard();
  if (phase === "ready") return <>{children}</>;
  if (phase === "loading")
    return (
      <p class="starting" role="status">
        Loading the board…
      </p>
    );
  const other = (): void => {
    saveBoard(undefined);
    window.location.hash = formatRoute({ view: "board" });
    if (board.slug === undefined) window.location.reload();
  };
  return (
    <div class="panel panel-error" role="alert">
      <h2>Failed to load the board.</h2>
      <p>{problem}</p>
      <button type="button" class="primary" onClick={() => void board.start()}>
        Try again
      </button>
      {board.slug !== undefined && (
        <button type="button" onClick={other}>
          Go to the current board
        </button>
      )}
    </div>
  );
}
