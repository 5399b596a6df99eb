import { type State, showMessage, type Updated } from "../../model/state.js";
import type { PickItem } from "../../overlays/pick/state.js";
import { columnsOf } from "../columns.js";
import { type Brief, toDetail } from "../detail.js";
import { ask, confirmChange, type Dialog, toSubject, withCard } from "./dialog.js";

const MOST = 2_000;

/** Parents and children of the card at hand. */
export const links = withCard((state, card) => {
  const [asked, effects] = ask(state, {
    method: "kanban.show",
    params: { id: card.id },
    to: `board.links:${card.id}`,
    reads: true,
  });
  if (effects.length === 0) return [asked, []];
  const overlay = {
    kind: "pick",
    asker: "board.links",
    title: `Links of ${card.id}`,
    items: undefined,
    filter: "",
    at: 0,
    subject: toSubject(card),
  } as const;
  return [{ ...asked, overlay }, effects];
});

export const LINKS: Dialog = {
  called: (state, answer, id) => {
    const { overlay } = state;
    if (overlay?.kind !== "pick" || overlay.asker !== "board.links" || overlay.subject["id"] !== id) return [state, []];
    if (!answer.ok) return [showMessage({ ...state, overlay: undefined }, answer.message, true), []];
    const { parents, children } = toDetail(answer.result);
    const items: readonly PickItem[] = [
      { value: "+parent", label: "add a parent", detail: "must be done before this task" },
      { value: "+child", label: "add a child", detail: "waits for this task" },
      ...parents.map((one) => linked("parent", one)),
      ...children.map((one) => linked("child", one)),
    ];
    return [{ ...state, overlay: { ...overlay, items } }, []];
  },
  picked: (state, value, { id = "" }) => {
    if (value === "+parent" || value === "+child") return [others(state, id, value.slice(1)), []];
    const [, kind, other] = /^-(parent|child) (.+)$/.exec(value) ?? [];
    return kind === undefined || other === undefined ? [state, []] : link(state, "unlink", { id, kind, other });
  },
};

const linked = (kind: "parent" | "child", { id, title, status }: Brief): PickItem => ({
  value: `-${kind} ${id}`,
  label: `${kind} ${id} ${title}`,
  detail: `${status} · Enter removes the link`,
});

/** Every other task that is here. */
function others(state: State, id: string, kind: string): State {
  const cards = columnsOf({ filter: "" }).flatMap((column) => state.board.columns[column]);
  const items = cards
    .filter((card) => card.id !== id)
    .slice(0, MOST)
    .map((card) => ({ value: card.id, label: `${card.id} ${card.title}`, detail: card.status }));
  const title = kind === "parent" ? `${id} waits for…` : `…waits for ${id}`;
  return {
    ...state,
    overlay: { kind: "pick", asker: "board.link", title, items, filter: "", at: 0, subject: { id, kind } },
  };
}

export const LINK: Dialog = {
  picked: (state, other, { id = "", kind = "" }) => link(state, "link", { id, kind, other }),
  called: confirmChange((id) => `links of ${id} changed`),
};

function link(
  state: State,
  verb: "link" | "unlink",
  { id, kind, other }: { id: string; kind: string; other: string },
): Updated {
  const params = kind === "parent" ? { parent: other, child: id } : { parent: id, child: other };
  return ask(state, { method: `kanban.${verb}`, params, to: `board.link:${id}` });
}
