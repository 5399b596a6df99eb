import { sanitizeLine } from "../../draw/sanitize.js";
import { text } from "../../model/data.js";
import { showMessage } from "../../model/state.js";
import { isData } from "../wire.js";
import { ask, type Dialog, withCard } from "./dialog.js";

/** Let a model work on a triage task in the background; the card shows it, the outcome is said. */
export const plan = (verb: "specify" | "decompose") =>
  withCard((state, card) => {
    if (card.status !== "triage")
      return [showMessage(state, `cannot ${verb} ${card.id}: it is ${card.status}, not triage`, true), []];
    if (state.board.working.has(card.id)) return [showMessage(state, `a model is already working on ${card.id}`), []];
    const [asked, effects] = ask(state, {
      method: `kanban.${verb}`,
      params: { id: card.id },
      to: `board.plan:${card.id} ${verb}`,
    });
    if (effects.length === 0) return [asked, []];
    const working = new Map(state.board.working).set(card.id, verb);
    return [{ ...asked, board: { ...asked.board, working } }, effects];
  });

export const PLAN: Dialog = {
  called: (state, answer, given) => {
    const [id = "", verb = ""] = given.split(" ");
    const working = new Map(state.board.working);
    working.delete(id);
    const next = { ...state, board: { ...state.board, working } };
    const outcome = answer.ok && isData(answer.result) ? answer.result : {};
    const why = answer.ok ? sanitizeLine(text(outcome, "reason")) : answer.message;
    if (outcome["ok"] !== true) return [showMessage(next, `${verb} ${id}: ${why}`, true), []];
    const children = outcome["child_ids"];
    const made = Array.isArray(children)
      ? `${children.length} children`
      : text(outcome, "new_title") === ""
        ? "done"
        : `now "${sanitizeLine(text(outcome, "new_title"))}"`;
    return [showMessage(next, `${verb} ${id}: ${made}`), []];
  },
};
