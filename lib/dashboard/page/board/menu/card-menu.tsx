import { Modal } from "../../shell/modal.js";
import { explainRefusedMove } from "../../state/board/moves.js";
import { columnsOf } from "../../state/board/view.js";
import { useStore } from "../../state/use-store.js";
import { shortenTitle } from "../actions/ask-for.js";
import { archiveCards, assignCards, deleteCards, prioritizeCards } from "../actions/bulk.js";
import { moveCards } from "../actions/move.js";
import { openCard } from "../actions/open.js";
import { type BoardController, useBoardController } from "../desk.js";

/** What can be done with cards, for keys, touch and pointer alike. */
export const openMenu = ({ menu }: Pick<BoardController, "menu">, ids: readonly string[]): void =>
  menu.set(ids.length === 0 ? undefined : ids);

/** The menu, when one is open. */
export function CardMenu() {
  const desk = useBoardController();
  const ids = useStore(desk.menu, (now) => now);
  return ids === undefined ? null : <Open ids={ids} />;
}

function Open({ ids }: { ids: readonly string[] }) {
  const desk = useBoardController();
  const { cards } = desk.board.state.get();
  const chosen = ids.flatMap((id) => cards.get(id) ?? []);
  const [first] = chosen;
  const title = chosen.length === 1 && first ? shortenTitle(first.title) : `${chosen.length} tasks`;
  const run = (act: () => Promise<void> | void) => (): void => {
    desk.menu.set(undefined);
    Promise.resolve(act()).catch(desk.services.failed);
  };
  return (
    <Modal title={title} close={() => desk.menu.set(undefined)}>
      <fieldset class="menu-grid">
        <legend>Move to</legend>
        {columnsOf({ archived: true }).map(({ name, title: words }) => {
          const why = chosen.every((card) => explainRefusedMove(card, name) !== undefined)
            ? explainRefusedMove(chosen[0] ?? NOTHING, name)
            : undefined;
          return (
            <button
              key={name}
              type="button"
              disabled={why !== undefined}
              title={why}
              onClick={run(() => moveCards(desk, ids, name))}
            >
              <span class={`status-dot status-${name}`} aria-hidden="true" /> {words}
            </button>
          );
        })}
      </fieldset>
      <div class="menu-rows">
        {first && chosen.length === 1 && (
          <button type="button" onClick={run(() => openCard(desk, first.id))}>
            Open
          </button>
        )}
        <button type="button" onClick={run(() => assignCards(desk, ids))}>
          Assign…
        </button>
        <button type="button" onClick={run(() => prioritizeCards(desk, ids))}>
          Priority…
        </button>
        <button type="button" onClick={run(() => archiveCards(desk, ids))}>
          Archive
        </button>
        <button type="button" class="danger" onClick={run(() => deleteCards(desk, ids))}>
          Delete…
        </button>
      </div>
    </Modal>
  );
}

const NOTHING = { id: "", status: "ready", archived_from: null, waits_for: [] } as const;
