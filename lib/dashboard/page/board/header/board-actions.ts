import { formatRoute } from "../../state/route.js";
import type { BoardController } from "../desk.js";
import { saveBoard } from "./boards.js";

const BOARDS = "api/plugins/kanban/boards";

/** Show another board, now and when this browser comes back. */
export function chooseBoard(slug: string): void {
  saveBoard(slug);
  const target = formatRoute({ view: "board", query: { board: slug } });
  window.location.hash = target;
}

/** Make a board and show it. */
export async function newBoard({ services }: BoardController): Promise<void> {
  const answers = await services.dialogs.ask({
    title: "New board",
    fields: [
      { name: "name", label: "Name", kind: "line", required: true },
      { name: "icon", label: "Icon", kind: "line", hint: "One character, such as an emoji." },
      { name: "color", label: "Colour", kind: "line", hint: "A name or #rrggbb." },
    ],
    confirm: "Create",
    check: ({ name = "" }) => (slugOf(name) === "" ? "The name needs a letter or a digit." : undefined),
  });
  if (answers === undefined) return;
  const slug = slugOf(answers["name"] ?? "");
  await services.api.send("POST", BOARDS, {
    slug,
    name: answers["name"],
    icon: answers["icon"] ?? "",
    color: answers["color"] ?? "",
  });
  services.tell("done", `Board ${slug} created.`);
  chooseBoard(slug);
}

/** Put a board away; workers on it are stopped only when that is wanted. */
export async function archiveBoard({ services, board }: BoardController, slug: string): Promise<void> {
  const { totals } = board.state.get();
  const running = totals.running;
  const sure = await services.dialogs.confirm({
    title: `Archive the board ${slug}?`,
    text:
      running === 0
        ? "It can be restored with all its tasks."
        : `${running} of its tasks are running; their workers will be stopped first.`,
    confirm: "Archive",
    danger: running > 0,
  });
  if (!sure) return;
  await services.api.send(
    "DELETE",
    `${BOARDS}/${encodeURIComponent(slug)}`,
    undefined,
    running > 0 ? { force: true } : {},
  );
  services.tell("done", `Board ${slug} archived.`);
  saveBoard(undefined);
  window.location.hash = formatRoute({ view: "board" });
}

/** Start nothing more on the board. */
export async function pauseBoard({ services, board }: BoardController, slug: string): Promise<void> {
  const running = board.state.get().totals.running;
  const answers = await services.dialogs.ask({
    title: "Pause this board",
    text: "No worker is started until it is resumed.",
    fields: [
      { name: "reason", label: "Reason", kind: "line" },
      ...(running > 0
        ? [{ name: "now", label: `Stop the ${running} running now as well`, kind: "check" as const }]
        : []),
    ],
    confirm: "Pause",
  });
  if (answers === undefined) return;
  const body = { ...(answers["reason"] && { reason: answers["reason"] }), ...(answers["now"] && { now: true }) };
  await services.api.send("POST", `${BOARDS}/${encodeURIComponent(slug)}/pause`, body);
  await board.refresh([]);
}

/** Go on. */
export async function resumeBoard({ services, board }: BoardController, slug: string): Promise<void> {
  await services.api.send("POST", `${BOARDS}/${encodeURIComponent(slug)}/resume`);
  await board.refresh([]);
}

/** A slug out of a name: its letters without their marks, and digits, with hyphens between them. Empty when the name has neither. */
export const slugOf = (name: string): string =>
  name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, "-")
    .replace(/^[-_]+|-+$/g, "")
    .slice(0, 64);
