import { useEffect, useState } from "preact/hooks";
import { useServices } from "../services.js";
import { useStore } from "../state/use-store.js";
import { AttentionStrip } from "./attention/attention-strip.js";
import { type Board, openBoard } from "./board.js";
import { BoardProvider } from "./board-context.js";
import { CardDrawer } from "./drawer/card-drawer.js";
import { OrchestrationPanel } from "./orchestration/orchestration-panel.js";
import { OrchestrationPill } from "./orchestration/orchestration-pill.js";

/** The task board. */
export function BoardView() {
  const services = useServices();
  const slug = useStore(services.route, ({ query }) => query["board"]);
  const open = useStore(services.route, ({ id }) => id);
  const [board, setBoard] = useState<Board | undefined>(undefined);
  useEffect(() => {
    const opened = openBoard(services, slug);
    setBoard(opened);
    return () => opened.close();
  }, [services, slug]);
  if (board === undefined) return null;
  return (
    <BoardProvider value={board}>
      <div class="board">
        <OrchestrationPill />
        <OrchestrationPanel />
        <AttentionStrip />
        {open !== undefined && <CardDrawer id={open} />}
      </div>
    </BoardProvider>
  );
}
