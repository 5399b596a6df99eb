import { useEffect } from "preact/hooks";
import { Icon } from "../../shell/icon.js";
import { EVERYTHING, type Filter, isFiltered } from "../../state/board/filter.js";
import { isFullyLoaded } from "../../state/board/state.js";
import { runPass } from "../actions/pass.js";
import { useBoardState } from "../board-context.js";
import { type BoardController, useBoardController, useView } from "../desk.js";
import { toFirstCard } from "../keys/board-keys.js";
import { ChoiceField, Search, Toggle } from "./controls.js";
import { rememberView } from "./remembered.js";

/** More tasks than a board is made for. */
const ALL = 10_000;

/** What is shown of the board, and what is done with it as a whole. */
export function Toolbar() {
  const desk = useBoardController();
  const filter = useView((view) => view.filter);
  const archived = useView((view) => view.archived);
  const lanes = useView((view) => view.lanes);
  const tenants = useBoardState((state) => state.tenants);
  const assignees = useBoardState((state) => state.assignees);
  useAllForSearch(desk, isFiltered(filter));
  const set = (change: Partial<Filter>): void =>
    desk.view.update((now) => ({ ...now, filter: { ...now.filter, ...change } }));
  return (
    <div class="toolbar" role="toolbar" aria-label="Board" data-keys="own">
      <Search value={filter.search} set={(search) => set({ search })} leave={() => toFirstCard(desk)} />
      <ChoiceField
        label="Tenant"
        all="All tenants"
        value={filter.tenant}
        names={tenants}
        set={(tenant) => set({ tenant })}
      />
      <ChoiceField
        label="Assignee"
        all="All assignees"
        value={filter.assignee}
        names={assignees}
        nobody
        set={(assignee) => set({ assignee })}
      />
      {isFiltered(filter) && (
        <button
          type="button"
          class="icon-button"
          aria-label="Clear the filter"
          title="Clear the filter"
          onClick={() => set(EVERYTHING)}
        >
          <Icon name="close" />
        </button>
      )}
      <span class="grow" />
      <Toggle label="Archived" on={archived} turn={() => showArchived(desk, !archived)} />
      <Toggle label="Lanes" on={lanes} turn={() => showLanes(desk, !lanes)} />
      <button
        type="button"
        class="quiet"
        title="Run one pass of the dispatcher"
        onClick={() => void runPass(desk).catch(desk.services.failed)}
      >
        <Icon name="play" /> <span class="label">Dispatch now</span>
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label="Refresh"
        title="Refresh (r)"
        onClick={() => void desk.board.reload().catch(desk.services.failed)}
      >
        <Icon name="refresh" />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label="Keys"
        title="Keys (?)"
        onClick={() => desk.view.update((now) => ({ ...now, help: true }))}
      >
        <Icon name="help" />
      </button>
    </div>
  );
}

/** A search goes over everything, so everything is read once there is one. */
function useAllForSearch(desk: BoardController, searching: boolean): void {
  useEffect(() => {
    if (searching && !isFullyLoaded(desk.board.state.get()))
      desk.board.reload({ limit: ALL }).catch(desk.services.failed);
  }, [searching, desk]);
}

function showArchived(desk: BoardController, archived: boolean): void {
  rememberView({ archived });
  desk.view.update((now) => ({ ...now, archived }));
  if (archived) desk.board.reload({ archived }).catch(desk.services.failed);
}

function showLanes({ view }: BoardController, lanes: boolean): void {
  rememberView({ lanes });
  view.update((now) => ({ ...now, lanes }));
}
