import type { Status, Task } from "../../../../contracts/board/board.js";
import type { Card } from "../../../../contracts/board/explain.js";
import { words } from "../../net/auth.js";
import { findColumnTitle } from "../../state/board/columns.js";
import { type MovePlan, planMove } from "../../state/board/moves.js";
import { NO_SELECTION } from "../../state/board/selection.js";
import type { BoardController } from "../desk.js";
import { askFor, shortenTitle } from "./ask-for.js";
import { type Failure, showFailures } from "./failures.js";
import { changeWithConsent } from "./insist.js";

/** Send cards to a column: asks what has to be asked, shows them there at once, and puts back what the owner refuses. */
export async function moveCards(desk: BoardController, ids: readonly string[], to: Status): Promise<void> {
  const { cards } = desk.board.state.get();
  const plan = planMove(
    ids.flatMap((id) => cards.get(id) ?? []),
    to,
  );
  if (plan.ids.length === 0) {
    const [first] = plan.refused;
    if (first) desk.services.tell("told", first.why);
    return;
  }
  const given = await askFor(desk, plan);
  if (given === undefined) return;
  const { moved, failures } = await send(desk, plan, given);
  if (ids.length > 1) desk.view.update((now) => ({ ...now, selection: NO_SELECTION }));
  if (moved > 0)
    desk.services.tell(
      "done",
      moved === 1 ? `Moved to ${findColumnTitle(to)}.` : `Moved ${moved} tasks to ${findColumnTitle(to)}.`,
    );
  showFailures(desk, [...failures, ...plan.refused.map(({ id, why }) => ({ id, text: why }))]);
}

/** How many changes are under way at once. */
const AT_ONCE = 4;

interface Sent {
  readonly moved: number;
  readonly failures: readonly Failure[];
}

async function send(
  desk: BoardController,
  { ids, to }: MovePlan,
  given: Readonly<Record<string, unknown>>,
): Promise<Sent> {
  const waiting = [...ids];
  const failures: Failure[] = [];
  let moved = 0;
  const { cards } = desk.board.state.get();
  showThere(desk, ids, to);
  const worker = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const change = { status: to, expected_status: cards.get(id)?.status, ...given };
      const answer = await sendOne(desk, id, change, ids.length === 1);
      if (answer === "moved") moved += 1;
      else if (answer !== undefined) failures.push(answer);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { moved, failures };
}

function showThere(desk: BoardController, ids: readonly string[], to: Status): void {
  const { cards, ahead } = desk.board.state.get();
  const now = Math.floor(Date.now() / 1000 + ahead);
  const there = ids
    .flatMap((id) => cards.get(id) ?? [])
    .map((card): Card => {
      // Seconds of the owner's clock, as it writes them.
      const since = now as Card["since"];
      return { ...card, status: to, since, completed_at: to === "done" ? since : card.completed_at };
    });
  desk.board.show(there);
}

type Change = Readonly<Record<string, unknown>>;

interface Changed {
  readonly task: Task;
  readonly warning?: string;
}

/** One change; where something stands against it the person decides, when `ask` says so. Undefined: called off. */
async function sendOne(
  desk: BoardController,
  id: string,
  change: Change,
  ask: boolean,
): Promise<"moved" | Failure | undefined> {
  const { board, services } = desk;
  const write = (all: Change): Promise<Changed> => board.send<Changed>("PATCH", `/tasks/${id}`, all);
  try {
    const title = shortenTitle(board.state.get().cards.get(id)?.title ?? id);
    const changed = await (ask
      ? changeWithConsent({ dialogs: services.dialogs, title, change, send: write })
      : write(change));
    if (changed === undefined) {
      await putBack(desk, id);
      return undefined;
    }
    const card = board.state.get().cards.get(id);
    if (card !== undefined) board.show([{ ...card, ...changed.task }]);
    if (changed.warning !== undefined) services.tell("told", changed.warning);
    return "moved";
  } catch (error) {
    await putBack(desk, id);
    return { id, text: words(error) };
  }
}

const putBack = (desk: BoardController, id: string): Promise<unknown> =>
  desk.board.refresh([id]).catch(() => {
    /* ok to lose: the stream brings the card as soon as the owner is back */
  });
