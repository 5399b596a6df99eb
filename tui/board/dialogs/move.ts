import { sanitizeLine } from "../../draw/sanitize.js";
import { text } from "../../model/data.js";
import { type State, showMessage, type Updated } from "../../model/state.js";
import type { PickItem } from "../../overlays/pick/state.js";
import { sendCard } from "../moving.js";
import { COLUMNS, type Column, isColumn, type TaskCard } from "../state.js";
import { dataRows } from "../wire.js";
import { archiveCards } from "./archive.js";
import { bulkMove } from "./bulk.js";
import { ask, type Dialog, field, openForm, openQuestion, subjectCards, toSubject, withCard } from "./dialog.js";

/** The menu of statuses: of one task with what the owner says of each, of marked ones all. */
export function openMoves(state: State): Updated {
  const cards = subjectCards(state.board);
  if (state.board.marked.size > 0 && cards.length > 0) return [bulkMenu(state, cards), []];
  return withCard((now, card) => {
    const [asked, effects] = ask(now, {
      method: "board.moves",
      params: { id: card.id },
      to: `board.move:${card.id}`,
      reads: true,
    });
    if (effects.length === 0) return [asked, []];
    const overlay = {
      kind: "pick",
      asker: "board.move",
      title: `Move ${card.id} · ${card.status}`,
      items: undefined,
      filter: "",
      at: 0,
      subject: toSubject(card),
    } as const;
    return [{ ...asked, overlay }, effects];
  })(state);
}

function bulkMenu(state: State, cards: readonly TaskCard[]): State {
  const items = COLUMNS.filter((column) => column !== "running").map((column) => ({
    value: column,
    label: column,
    detail: "",
  }));
  const subject = { ids: cards.map((card) => card.id).join(" ") };
  return {
    ...state,
    overlay: {
      kind: "pick",
      asker: "board.moveAll",
      title: `Move ${cards.length} tasks`,
      items,
      filter: "",
      at: 0,
      subject,
    },
  };
}

/** To the neighbouring column, when the owner says that it can be done. */
export const step = (by: 1 | -1) =>
  withCard((state, card) => {
    const to = COLUMNS[COLUMNS.indexOf(card.status) + by];
    if (to === undefined || to === "archived") return [showMessage(state, "no adjacent column"), []];
    if (to === "running") return [showMessage(state, "running is set only by a claim", true), []];
    return ask(state, {
      method: "board.moves",
      params: { id: card.id },
      to: `board.step:${card.id} ${to}`,
      reads: true,
    });
  });

export const MOVE: Dialog = {
  called: (state, answer, id) => {
    const { overlay } = state;
    if (overlay?.kind !== "pick" || overlay.asker !== "board.move" || overlay.subject["id"] !== id) return [state, []];
    if (!answer.ok) return [showMessage({ ...state, overlay: undefined }, answer.message, true), []];
    const items = dataRows(answer.result).map(toItem);
    const at = Math.max(
      0,
      items.findIndex((item) => item.refused === undefined),
    );
    return [{ ...state, overlay: { ...overlay, items, at } }, []];
  },
  picked: (state, value, subject) => proceedWith(state, subject["id"], value, subject["changed"]),
};

export const MOVE_ALL: Dialog = {
  picked: (state, value, subject) =>
    isColumn(value) ? bulkMove(state, (subject["ids"] ?? "").split(" "), value) : [state, []],
};

export const STEP: Dialog = {
  called: (state, answer, given) => {
    const [id = "", to = ""] = given.split(" ");
    if (!answer.ok) return [showMessage(state, answer.message, true), []];
    const found = dataRows(answer.result).find((row) => text(row, "to") === to);
    if (found?.["legal"] !== true)
      return [
        showMessage(
          state,
          `${to}: ${sanitizeLine(found === undefined ? "no such status" : text(found, "text"))}`,
          true,
        ),
        [],
      ];
    return proceedWith(state, id, to);
  },
};

const toItem = (row: Readonly<Record<string, unknown>>): PickItem => {
  const label = sanitizeLine(text(row, "to"));
  const said = sanitizeLine(text(row, "text"));
  return row["legal"] === true
    ? { value: label, label, detail: said }
    : { value: label, label, detail: said, refused: said };
};

function proceedWith(state: State, id: string | undefined, to: string, who?: string): Updated {
  const card = id === undefined ? undefined : state.board.cards.get(id);
  if (card === undefined || !isColumn(to)) return [showMessage(state, "the task no longer exists", true), []];
  return who === undefined ? proceed(state, card, to) : [movedMeanwhile(state, card, to, who), []];
}

function movedMeanwhile(state: State, card: TaskCard, to: Column, who: string): State {
  return openQuestion(state, {
    asker: "board.moveAnyway",
    title: `${card.id} changed by ${who}`,
    lines: [`${who} changed ${card.id} while you were choosing. It is ${card.status} now.`],
    yes: [{ name: "move", label: `move to ${to}`, key: "m" }],
    subject: toSubject(card, { to }),
  });
}

export const MOVE_ANYWAY: Dialog = {
  confirmed: (state, choice, { id, to = "" }) => (choice === "move" ? proceedWith(state, id, to) : [state, []]),
};

/** Ask for what the move needs, and send it. */
function proceed(state: State, card: TaskCard, to: Column): Updated {
  if (to === "archived") return archiveCards(state, [card]);
  if (to === "done") return [completeForm(state, card), []];
  if (to === "blocked") return [blockForm(state, card), []];
  if (to === "scheduled") return [scheduleForm(state, card), []];
  return card.status === "running" ? [stopQuestion(state, card, to), []] : sendCard(state, card, to);
}

/** What happens to a worker, said where it is asked. */
const stops = (card: TaskCard): readonly string[] =>
  card.status === "running" ? ["It is running; its worker is stopped first."] : [];

function stopQuestion(state: State, card: TaskCard, to: Column): State {
  return openQuestion(state, {
    asker: "board.stop",
    title: `Move ${card.id} to ${to}?`,
    lines: [card.title, "", "It is running; its worker is stopped, and work that it has not handed over is lost."],
    yes: [{ name: "stop", label: `stop it and move to ${to}`, key: "s" }],
    subject: toSubject(card, { to }),
  });
}

export const STOP: Dialog = {
  confirmed: (state, choice, subject) => {
    const card = state.board.cards.get(subject["id"] ?? "");
    const to = subject["to"] ?? "";
    return choice === "stop" && card !== undefined && isColumn(to) ? sendCard(state, card, to) : [state, []];
  },
};

const completeForm = (state: State, card: TaskCard): State =>
  openForm(state, {
    asker: "board.complete",
    title: `Complete ${card.id}`,
    lines: [card.title, ...stops(card)],
    button: "Complete",
    subject: toSubject(card),
    fields: [field("text", "summary", "Summary")],
  });

const blockForm = (state: State, card: TaskCard): State =>
  openForm(state, {
    asker: "board.block",
    title: `Block ${card.id}`,
    lines: [card.title, ...stops(card)],
    button: "Block",
    subject: toSubject(card),
    fields: [field("line", "reason", "Reason", { required: true })],
  });

const scheduleForm = (state: State, card: TaskCard): State =>
  openForm(state, {
    asker: "board.schedule",
    title: `Schedule ${card.id}`,
    button: "Schedule",
    subject: toSubject(card),
    lines: [card.title, ...stops(card), "Without a time it waits until it is unblocked."],
    fields: [field("line", "at", "Time (+2h, 09:00, 2027-01-31T09:00)"), field("line", "reason", "Reason")],
  });

/** Complete the card at hand; what can not be completed is not asked for a summary. */
export const complete = withCard((state, card) =>
  ["ready", "running", "blocked"].includes(card.status)
    ? [completeForm(state, card), []]
    : [showMessage(state, `cannot complete ${card.id}: it is ${card.status}`, true), []],
);

/** Block the card at hand; a blocked or scheduled one goes free. */
export const block = withCard((state, card) => {
  if (card.status === "blocked" || card.status === "scheduled") {
    return ask(state, { method: "kanban.unblock", params: { ids: [card.id] }, to: `board.unblock:${card.id}` });
  }
  if (!["todo", "ready", "running"].includes(card.status))
    return [showMessage(state, `cannot block ${card.id}: it is ${card.status}`, true), []];
  return [blockForm(state, card), []];
});

/** The form closes with the move; a refusal takes the card back and says why. */
const sending = (
  to: Column,
  params: (values: Readonly<Record<string, string>>) => Readonly<Record<string, unknown>>,
): Dialog => ({
  filled: (state, values, subject) => {
    const card = state.board.cards.get(subject["id"] ?? "");
    if (card === undefined)
      return [showMessage({ ...state, overlay: undefined }, "the task no longer exists", true), []];
    return sendCard(state, card, to, params(values));
  },
});

const given = (name: string, value: string | undefined) =>
  value === undefined || value.trim() === "" ? {} : { [name]: value.trim() };

export const COMPLETE = sending("done", ({ summary }) => given("summary", summary));
export const BLOCK = sending("blocked", ({ reason }) => given("block_reason", reason));
