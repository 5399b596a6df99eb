import { useEffect, useState } from "preact/hooks";
import { useServices } from "../services.js";
import { Icon } from "../shell/icon.js";
import { PLAIN_VIEW, queryOf, readAddress, type UsualView, withAddress } from "../state/board/address.js";
import { columnsOf } from "../state/board/view.js";
import { useStore } from "../state/use-store.js";
import { AttentionStrip } from "./attention/attention-strip.js";
import { openBoard } from "./board.js";
import { BoardProvider, useBoardState } from "./board-context.js";
import { BulkBar } from "./bulk/bulk-bar.js";
import { Column } from "./columns/column.js";
import {
  type BoardController,
  BoardControllerProvider,
  createBoardController,
  useBoardController,
  useView,
} from "./desk.js";
import { DragLayer } from "./drag/drag-layer.js";
import { useDragSource } from "./drag/drag-source.js";
import { CardDrawer } from "./drawer/card-drawer.js";
import { resumeBoard } from "./header/board-actions.js";
import { BoardHeader } from "./header/board-header.js";
import { savedBoard } from "./header/boards.js";
import { remembered } from "./header/remembered.js";
import { Toolbar } from "./header/toolbar.js";
import { useBoardKeys } from "./keys/board-keys.js";
import { KeyHelp } from "./keys/key-help.js";
import { CardMenu } from "./menu/card-menu.js";
import { OrchestrationPanel } from "./orchestration/orchestration-panel.js";
import { Unready } from "./unready.js";

/** The task board. */
export function BoardView() {
  const services = useServices();
  const slug = useStore(services.route, ({ query }) => query["board"] ?? savedBoard());
  const open = useStore(services.route, ({ id }) => id);
  const desk = useDeskOf(slug);
  useBoardKeys(desk);
  if (desk === undefined) return null;
  return (
    <BoardProvider value={desk.board} key={slug ?? ""}>
      <BoardControllerProvider value={desk}>
        <div class="board">
          <h1 class="sr-only">Task board</h1>
          <div class="board-top">
            <BoardHeader />
            <Toolbar />
          </div>
          <OrchestrationPanel />
          <PausedBanner />
          <AttentionStrip />
          <Unready>
            <div class="board-middle">
              <Columns />
              {open !== undefined && <CardDrawer key={open} id={open} />}
            </div>
          </Unready>
          <BulkBar />
          <DragLayer />
          <CardMenu />
          <KeyHelp />
        </div>
      </BoardControllerProvider>
    </BoardProvider>
  );
}

interface PageConfig {
  readonly default_tenant: string;
  readonly lane_by_profile: boolean;
  readonly include_archived_by_default: boolean;
}

/** A desk with the board on it, as long as it is the one that is shown. */
function useDeskOf(slug: string | undefined): BoardController | undefined {
  const services = useServices();
  const [desk, setDesk] = useState<BoardController | undefined>(undefined);
  useEffect(() => {
    const board = openBoard(services, slug);
    const opened = createBoardController(services, board, {});
    setDesk(opened);
    let closed = false;
    let leave = followAddress(opened, PLAIN_VIEW);
    const follow = (usual: UsualView): void => {
      leave();
      if (!closed) leave = followAddress(opened, usual);
    };
    lookAsConfigured(opened, follow).catch(services.failed);
    return () => {
      closed = true;
      leave();
      opened.close();
      board.close();
    };
  }, [services, slug]);
  return desk;
}

async function lookAsConfigured(
  { view, services }: BoardController,
  follow: (usual: UsualView) => void,
): Promise<void> {
  const config = await services.api.get<PageConfig>("api/plugins/kanban/config");
  const usual = { archived: config.include_archived_by_default, lanes: config.lane_by_profile, ...remembered() };
  view.update((now) => ({ ...now, lanes: usual.lanes }));
  follow({ tenant: config.default_tenant, archived: usual.archived });
}

/** Keep the filters of a board and its address alike: what is chosen is written, and another address is followed. @returns ends it */
function followAddress(desk: Pick<BoardController, "services" | "view" | "board">, usual: UsualView): () => void {
  const { services, view, board } = desk;
  const { route, readdress } = services;
  const isHere = (): boolean => route.get().view === "board";
  const read = (): void => {
    if (!isHere()) return;
    const before = view.get().archived;
    view.update((now) => withAddress(now, readAddress(route.get(), usual)));
    if (view.get().archived && !before) board.reload({ archived: true }).catch(services.failed);
  };
  const write = (): void => {
    if (isHere()) readdress(queryOf(view.get(), usual));
  };
  read();
  const leave = [route.subscribe(read), view.subscribe(write)];
  return () => {
    for (const one of leave) one();
  };
}

/** The columns side by side. */
function Columns() {
  const archived = useView((view) => view.archived);
  const source = useDragSource();
  return (
    <div class="columns" {...source}>
      {columnsOf({ archived }).map((kind) => (
        <Column key={kind.name} kind={kind} />
      ))}
    </div>
  );
}

/** Says that nothing is started, as long as that is so. */
function PausedBanner() {
  const desk = useBoardController();
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
