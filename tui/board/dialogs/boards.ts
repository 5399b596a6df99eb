import { sanitizeLine } from "../../draw/sanitize.js";
import { number, text } from "../../model/data.js";
import { type State, showMessage, type Updated } from "../../model/state.js";
import { NO_BOARD } from "../state.js";
import { dataRows, isData } from "../wire.js";
import { ask, type Dialog } from "./dialog.js";

/** Choose another board to look at. What commands use stays what it is. */
export function boards(state: State): Updated {
  const [asked, effects] = ask(state, { method: "kanban.boards.list", params: {}, to: "board.boards", reads: true });
  if (effects.length === 0) return [asked, []];
  return [
    {
      ...asked,
      overlay: {
        kind: "pick",
        asker: "board.boards",
        title: "Boards",
        items: undefined,
        filter: "",
        at: 0,
        subject: {},
      },
    },
    effects,
  ];
}

export const BOARDS: Dialog = {
  called: (state, answer) => {
    const { overlay } = state;
    if (overlay?.kind !== "pick" || overlay.asker !== "board.boards") return [state, []];
    if (!answer.ok) return [showMessage({ ...state, overlay: undefined }, answer.message, true), []];
    const rows = isData(answer.result) ? dataRows(answer.result["boards"]) : dataRows(answer.result);
    const items = rows.map((row) => ({
      value: text(row, "slug"),
      label: sanitizeLine(text(row, "slug")),
      detail: sanitizeLine(
        `${text(row, "name")} · ${number(row, "total")} tasks${typeof row["paused_at"] === "number" ? " · paused" : ""}`,
      ),
    }));
    const at = Math.max(
      0,
      items.findIndex((item) => item.value === state.board.slug),
    );
    return [{ ...state, overlay: { ...overlay, items, at } }, []];
  },
  picked: (state, slug) => {
    const { view, profiles } = state.board;
    return [{ ...state, board: { ...NO_BOARD, slug, view, profiles } }, [{ do: "board.show", slug }]];
  },
};
