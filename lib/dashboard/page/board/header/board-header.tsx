import { useEffect, useState } from "preact/hooks";
import { Icon } from "../../shell/icon.js";
import { useBoardState } from "../board-context.js";
import { type BoardController, useBoardController } from "../desk.js";
import { OrchestrationPill } from "../orchestration/orchestration-pill.js";
import { archiveBoard, chooseBoard, newBoard, pauseBoard, resumeBoard } from "./board-actions.js";
import { useBoards } from "./boards.js";

/** Which board is shown, and what is done with the board itself. */
export function BoardHeader() {
  const desk = useBoardController();
  const [changes, changed] = useState(0);
  // What happens to the board itself is reported without a task.
  useEffect(
    () => desk.board.listen((events) => events.some((one) => one.task_id === null) && changed((n) => n + 1)),
    [desk.board],
  );
  const boards = useBoards(desk.services, changes);
  const shown = useBoardState(({ board }) => board);
  const paused = useBoardState((state) => state.paused);
  const run = (act: (desk: BoardController, slug: string) => Promise<void>) => (): void => {
    act(desk, shown).then(() => changed((n) => n + 1), desk.services.failed);
  };
  const record = boards.find(({ slug }) => slug === shown);
  return (
    <section class="board-header" aria-label="Board settings">
      <label class="switcher">
        <span class="sr-only">Board</span>
        {record?.color && <span class="board-color" aria-hidden="true" style={{ backgroundColor: record.color }} />}
        {record?.icon && <span aria-hidden="true">{record.icon}</span>}
        <select value={shown} onChange={(event) => chooseBoard(event.currentTarget.value)}>
          {record === undefined && <option value={shown}>{shown || "No board"}</option>}
          {boards.map(({ slug, name }) => (
            <option key={slug} value={slug}>
              {name || slug}
            </option>
          ))}
        </select>
      </label>
      <button type="button" class="icon-button" aria-label="New board" title="New board" onClick={run(newBoard)}>
        <Icon name="plus" />
      </button>
      {shown !== "default" && shown !== "" && (
        <button
          type="button"
          class="icon-button"
          aria-label="Archive this board"
          title="Archive this board"
          onClick={run(archiveBoard)}
        >
          <Icon name="archive" />
        </button>
      )}
      <button
        type="button"
        class="quiet"
        aria-label={paused ? "Resume" : "Pause"}
        disabled={shown === ""}
        onClick={run(paused ? resumeBoard : pauseBoard)}
      >
        <Icon name={paused ? "play" : "pause"} /> <span class="label">{paused ? "Resume" : "Pause"}</span>
      </button>
      <OrchestrationPill />
    </section>
  );
}
