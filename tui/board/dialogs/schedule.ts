import { showMessage } from "../../model/state.js";
import { ask, confirmChange, type Dialog } from "./dialog.js";

/** A time that makes no sense stays in the form, so the card is moved by the answer alone. */
export const SCHEDULE: Dialog = {
  filled: (state, { at = "", reason = "" }, { id = "", status = "" }) => {
    if (!state.board.cards.has(id))
      return [showMessage({ ...state, overlay: undefined }, "the task no longer exists", true), []];
    const when = at.trim() === "" ? {} : { at: at.trim(), zone: Intl.DateTimeFormat().resolvedOptions().timeZone };
    const why = reason.trim() === "" ? {} : { block_reason: reason.trim() };
    const params = { id, status: "scheduled", expected_status: status, ...when, ...why };
    return ask(state, { method: "board.write", params, to: `board.schedule:${id}` });
  },
  called: confirmChange((id) => `${id} is scheduled`),
};

export const UNBLOCK: Dialog = { called: confirmChange((id) => `${id} is free`) };
