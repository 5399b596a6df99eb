import { NO_SELECTION } from "../../state/board/selection.js";
import type { BoardController } from "../desk.js";
import { shortenTitle } from "./ask-for.js";
import { showFailures } from "./failures.js";

interface Result {
  readonly id: string;
  readonly ok: boolean;
  readonly error?: string;
}

/** Ids in one request. */
const PIECE = 500;

/** One change for many tasks, each by itself; what was refused is listed. */
async function change(
  desk: BoardController,
  ids: readonly string[],
  given: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  const results: Result[] = [];
  for (let at = 0; at < ids.length; at += PIECE) {
    const piece = ids.slice(at, at + PIECE);
    const answer = await desk.board.send<{ results: readonly Result[] }>("POST", "/tasks/bulk", {
      ids: piece,
      ...given,
    });
    results.push(...answer.results);
  }
  showFailures(
    desk,
    results.flatMap(({ id, ok, error }) => (ok ? [] : [{ id, text: error ?? "The owner refused it." }])),
  );
  return results.flatMap(({ id, ok }) => (ok ? [id] : []));
}

const many = (ids: readonly string[]): string => (ids.length === 1 ? "1 task" : `${ids.length} tasks`);
const runningOf = ({ board }: BoardController, ids: readonly string[]): number =>
  ids.filter((id) => board.state.get().cards.get(id)?.status === "running").length;
const titleOf = ({ board }: BoardController, ids: readonly string[]): string =>
  ids.length === 1 ? `“${shortenTitle(board.state.get().cards.get(ids[0] ?? "")?.title ?? "")}”` : many(ids);

/** Assign tasks. */
export async function assignCards(desk: BoardController, ids: readonly string[]): Promise<void> {
  const names = desk.board.state.get().assignees.map((name) => ({ value: name, label: name }));
  const running = runningOf(desk, ids);
  const answers = await desk.services.dialogs.ask({
    title: `Assign ${titleOf(desk, ids)}`,
    fields: [
      {
        name: "assignee",
        label: "Assignee",
        kind: "line",
        options: names,
        hint: "A profile, or the name of someone or something external. Empty: unassigned.",
      },
      ...(running > 0
        ? [
            {
              name: "reclaim",
              label: `Stop the workers of ${many(ids.slice(0, running))} first`,
              kind: "check" as const,
            },
          ]
        : []),
    ],
    confirm: "Assign",
  });
  if (answers === undefined) return;
  const done = await change(desk, ids, {
    assignee: answers["assignee"] ?? "",
    ...(answers["reclaim"] && { reclaim_first: true }),
  });
  if (done.length > 0) desk.services.tell("done", `Assigned ${many(done)}.`);
}

/** Say what comes first. */
export async function prioritizeCards(desk: BoardController, ids: readonly string[]): Promise<void> {
  const now = ids.length === 1 ? desk.board.state.get().cards.get(ids[0] ?? "")?.priority : undefined;
  const field = {
    name: "priority",
    label: "Priority",
    kind: "number",
    value: String(now ?? 0),
    required: true,
    hint: "Higher goes first.",
  } as const;
  const answers = await desk.services.dialogs.ask({
    title: `Priority of ${titleOf(desk, ids)}`,
    fields: [field],
    confirm: "Set",
  });
  if (answers === undefined) return;
  const done = await change(desk, ids, { priority: Number(answers["priority"]) });
  if (done.length > 0) desk.services.tell("done", `Priority of ${many(done)} set.`);
}

/** Put tasks away; they can be fetched back. */
export async function archiveCards(desk: BoardController, ids: readonly string[]): Promise<void> {
  const running = runningOf(desk, ids);
  const text =
    running === 0
      ? undefined
      : `${running === 1 ? "A worker is" : `${running} workers are`} busy with it and will be stopped first.`;
  const question = {
    title: `Archive ${titleOf(desk, ids)}?`,
    confirm: "Archive",
    danger: running > 0,
    ...(text && { text }),
  };
  if ((ids.length > 1 || running > 0) && !(await desk.services.dialogs.confirm(question))) return;
  const done = await change(desk, ids, { archive: true });
  if (done.length > 0) desk.services.tell("done", `Archived ${many(done)}.`);
  desk.view.update((now) => ({ ...now, selection: NO_SELECTION }));
}

/** Remove tasks for good, with all that belongs to them. */
export async function deleteCards(desk: BoardController, ids: readonly string[]): Promise<void> {
  const running = runningOf(desk, ids);
  const stop = running === 0 ? "" : `${running === 1 ? " Its worker" : ` ${running} workers`} will be stopped first.`;
  const sure = await desk.services.dialogs.confirm({
    title: `Delete ${titleOf(desk, ids)}?`,
    text: `Comments, runs, logs and attachments go too. This cannot be undone; archiving keeps them.${stop}`,
    confirm: ids.length === 1 ? "Delete" : `Delete ${many(ids)}`,
    danger: true,
  });
  if (!sure) return;
  const done = await change(desk, ids, { delete: true });
  if (done.length > 0) desk.services.tell("done", `Deleted ${many(done)}.`);
  desk.view.update((now) => ({ ...now, selection: NO_SELECTION }));
}
