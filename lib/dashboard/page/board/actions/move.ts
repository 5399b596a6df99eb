import type { Status, Task } from "../../../../proto/board.js";
import type { Card } from "../../../../proto/board-explain.js";
import { ApiError } from "../../net/api.js";
import { words } from "../../net/auth.js";
import { titleOf } from "../../state/board/columns.js";
import { type MovePlan, planMove } from "../../state/board/moves.js";
import { NO_SELECTION } from "../../state/board/selection.js";
import type { Desk } from "../desk.js";
import { askFor, short } from "./ask-for.js";
import { type Failure, showFailures } from "./failures.js";

/** Send cards to a column: asks what has to be asked, shows them there at once, and puts back what the owner refuses. */
export async function moveCards(desk: Desk, ids: readonly string[], to: Status): Promise<void> {
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
  const failures = await send(desk, plan, given);
  const moved = plan.ids.length - failures.length;
  if (ids.length > 1) desk.view.update((now) => ({ ...now, selection: NO_SELECTION }));
  if (moved > 0) desk.services.tell("done", moved === 1 ? `Moved to ${titleOf(to)}.` : `Moved ${moved} tasks to ${titleOf(to)}.`);
  showFailures(desk, [...failures, ...plan.refused.map(({ id, why }) => ({ id, text: why }))]);
}

/** How many changes are under way at once. */
const AT_ONCE = 4;

async function send(desk: Desk, { ids, to }: MovePlan, given: Readonly<Record<string, unknown>>): Promise<readonly Failure[]> {
  const waiting = [...ids];
  const failures: Failure[] = [];
  const { cards } = desk.board.state.get();
  showThere(desk, ids, to);
  const worker = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      const change = { status: to, expected_status: cards.get(id)?.status, ...given };
      const failure = await sendOne(desk, id, () => patch(desk, id, change, ids.length === 1));
      if (failure !== undefined) failures.push(failure);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return failures;
}

function showThere(desk: Desk, ids: readonly string[], to: Status): void {
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

interface Changed {
  readonly task: Task;
  readonly warning?: string;
}

async function sendOne(desk: Desk, id: string, change: () => Promise<Changed>): Promise<Failure | undefined> {
  try {
    const { task, warning } = await change();
    const card = desk.board.state.get().cards.get(id);
    if (card !== undefined) desk.board.show([{ ...card, ...task }]);
    if (warning !== undefined) desk.services.tell("told", warning);
    return undefined;
  } catch (error) {
    await desk.board.refresh([id]).catch(() => {
      /* ok to lose: the stream brings the card as soon as the owner is back */
    });
    return { id, text: words(error) };
  }
}

/** What can be insisted on, by the code of its refusal. */
const INSIST: Readonly<
  Record<string, { readonly confirm: string; readonly change: Readonly<Record<string, unknown>>; readonly danger: boolean }>
> = {
  E_PARENTS_OPEN: { confirm: "Go on without them", change: { force: true }, danger: false },
  E_CHILD_RUNNING: { confirm: "Stop them and go on", change: { force: true }, danger: true },
  E_CONFLICT: { confirm: "Move it all the same", change: { expected_status: undefined }, danger: false },
};

/** One change; where unsettled parents, a running child or another hand stand against it, the person decides, when `ask` says so. */
async function patch(desk: Desk, id: string, change: Readonly<Record<string, unknown>>, ask: boolean): Promise<Changed> {
  try {
    return await desk.board.send<Changed>("PATCH", `/tasks/${id}`, change);
  } catch (error) {
    const way = error instanceof ApiError ? INSIST[error.code ?? ""] : undefined;
    if (way === undefined || !ask) throw error;
    const title = desk.board.state.get().cards.get(id)?.title ?? id;
    const go = await desk.services.dialogs.confirm({
      title: short(title),
      text: sentence(words(error)),
      confirm: way.confirm,
      danger: way.danger,
    });
    if (!go) throw error;
    return patch(desk, id, { ...change, ...way.change }, ask);
  }
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
