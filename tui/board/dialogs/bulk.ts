import { sanitizeLine } from "../../draw/sanitize.js";
import { text } from "../../model/data.js";
import { type State, showMessage, type Updated } from "../../model/state.js";
import type { ConfirmOverlay } from "../../overlays/confirm/state.js";
import type { Column } from "../state.js";
import { dataRows, isData } from "../wire.js";
import { ask, type Dialog, openQuestion } from "./dialog.js";

const SLOW = 50; // so many take long enough to be waited for

/** The same change to several tasks. */
export function sendBulk(state: State, ids: readonly string[], change: Readonly<Record<string, unknown>>): Updated {
  const [asked, effects] = ask(state, { method: "board.bulk", params: { ids, ...change }, to: "board.bulk" });
  return [
    effects.length > 0 && ids.length >= SLOW ? showMessage(asked, `changing ${ids.length} tasks…`) : asked,
    effects,
  ];
}

/** Send tasks to a column. Where workers are stopped by it, that is asked first. */
export function bulkMove(state: State, ids: readonly string[], to: Column): Updated {
  const running = ids.filter((id) => state.board.cards.get(id)?.status === "running").length;
  if (running === 0) return sendBulk(state, ids, { status: to });
  const asked = openQuestion(state, {
    asker: "board.bulkStop",
    title: `Move ${ids.length} tasks to ${to}?`,
    lines: [`${running} of them are running; their workers are stopped first.`],
    yes: [{ name: "move", label: `stop them and move to ${to}`, key: "s" }],
    subject: { ids: ids.join(" "), to },
  });
  return [asked, []];
}

export const BULK_STOP: Dialog = {
  confirmed: (state, choice, { ids = "", to = "" }) =>
    choice === "move" ? sendBulk(state, ids.split(" "), { status: to }) : [state, []],
};

/** What was refused is listed with why, and stays marked. */
export const BULK: Dialog = {
  called: (state, answer) => {
    if (!answer.ok) return [showMessage({ ...state, overlay: undefined }, answer.message, true), []];
    const results = isData(answer.result) ? dataRows(answer.result["results"]) : [];
    const bad = results.filter((row) => row["ok"] !== true);
    const done = results.length - bad.length;
    const marked = new Set(bad.map((row) => text(row, "id")));
    const next = { ...state, overlay: undefined, board: { ...state.board, marked } };
    if (bad.length === 0) return [showMessage(next, done === 1 ? "1 task changed" : `${done} tasks changed`), []];
    const lines = bad.map((row) => `${sanitizeLine(text(row, "id"))}  ${sanitizeLine(text(row, "error"))}`);
    const overlay: ConfirmOverlay = {
      kind: "confirm",
      asker: "board.refused",
      title: `${done} changed, ${bad.length} refused`,
      lines,
      at: 0,
      subject: {},
      choices: [{ name: "ok", label: "close", key: "c" }],
    };
    return [{ ...next, overlay }, []];
  },
};

/** There is nothing more to say about it. */
export const REFUSED: Dialog = { confirmed: (state) => [state, []] };
