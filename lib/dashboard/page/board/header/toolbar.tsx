import { useEffect } from "preact/hooks";
import type { PassResult } from "../../../../proto/board.js";
import { Icon } from "../../shell/icon.js";
import { EVERYTHING, type Filter, isFiltered, NOBODY } from "../../state/board/filter.js";
import { passText } from "../../state/board/pass-text.js";
import { isWhole } from "../../state/board/state.js";
import { useBoardState } from "../board-context.js";
import { type Desk, useDesk, useView } from "../desk.js";
import { toFirstCard } from "../keys/board-keys.js";

/** More tasks than a board is made for. */
const ALL = 10_000;

/** What is shown of the board, and what is done with it as a whole. */
export function Toolbar() {
  const desk = useDesk();
  const filter = useView((view) => view.filter);
  const archived = useView((view) => view.archived);
  const lanes = useView((view) => view.lanes);
  const tenants = useBoardState((state) => state.tenants);
  const assignees = useBoardState((state) => state.assignees);
  useAllForSearch(desk, isFiltered(filter));
  const set = (change: Partial<Filter>): void => desk.view.update((now) => ({ ...now, filter: { ...now.filter, ...change } }));
  return (
    <div class="toolbar" role="toolbar" aria-label="Board" data-keys="own">
      <Search value={filter.search} set={(search) => set({ search })} leave={() => toFirstCard(desk)} />
      <Choice label="Tenant" all="All tenants" value={filter.tenant} names={tenants} set={(tenant) => set({ tenant })} />
      <Choice label="Assignee" all="All assignees" value={filter.assignee} names={assignees} nobody set={(assignee) => set({ assignee })} />
      {isFiltered(filter) && (
        <button type="button" class="icon-button" aria-label="Clear the filter" title="Clear the filter" onClick={() => set(EVERYTHING)}>
          <Icon name="close" />
        </button>
      )}
      <span class="grow" />
      <Toggle label="Archived" on={archived} turn={() => showArchived(desk, !archived)} />
      <Toggle label="Lanes" on={lanes} turn={() => desk.view.update((now) => ({ ...now, lanes: !lanes }))} />
      <button
        type="button"
        class="quiet"
        title="Run one pass of the dispatcher"
        onClick={() => void runPass(desk).catch(desk.services.failed)}
      >
        <Icon name="play" /> <span class="label">Run a pass</span>
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

/** Enter and the arrow down lead to what was found. */
function Search({ value, set, leave }: { value: string; set(text: string): void; leave(): void }) {
  return (
    <label class="search">
      <Icon name="search" />
      <span class="sr-only">Search tasks</span>
      <input
        id="board-search"
        type="search"
        placeholder="Search ( / )"
        value={value}
        onInput={(event) => set(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" || event.key === "ArrowDown") {
            event.preventDefault();
            event.currentTarget.blur();
            leave();
          } else if (event.key === "Escape") {
            if (value === "") event.currentTarget.blur();
            else set("");
          }
        }}
      />
    </label>
  );
}

interface ChoiceProps {
  label: string;
  all: string;
  value: string;
  names: readonly string[];
  nobody?: boolean;
  set(name: string): void;
}

function Choice({ label, all, value, names, nobody, set }: ChoiceProps) {
  if (names.length === 0) return null;
  return (
    <select aria-label={label} value={value} onChange={(event) => set(event.currentTarget.value)}>
      <option value="">{all}</option>
      {nobody && <option value={NOBODY}>Nobody</option>}
      {names.map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

function Toggle({ label, on, turn }: { label: string; on: boolean; turn(): void }) {
  return (
    <button type="button" class="toggle quiet" aria-pressed={on} onClick={turn}>
      {label}
    </button>
  );
}

/** A search goes over everything, so everything is read once there is one. */
function useAllForSearch(desk: Desk, searching: boolean): void {
  useEffect(() => {
    if (searching && !isWhole(desk.board.state.get())) desk.board.reload({ limit: ALL }).catch(desk.services.failed);
  }, [searching, desk]);
}

function showArchived(desk: Desk, archived: boolean): void {
  desk.view.update((now) => ({ ...now, archived }));
  if (archived) desk.board.reload({ archived }).catch(desk.services.failed);
}

async function runPass(desk: Desk): Promise<void> {
  const pass = await desk.board.send<PassResult>("POST", "/dispatch");
  desk.services.tell("done", passText(pass));
}
