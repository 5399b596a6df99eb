import { sanitizeLine } from "../../draw/sanitize.js";
import { number, text } from "../../model/data.js";
import { type State, showMessage, type Updated } from "../../model/state.js";
import { isData } from "../wire.js";
import { sendBulk } from "./bulk.js";
import {
  ask,
  confirmChange,
  type Dialog,
  field,
  openForm,
  refused,
  subjectCards,
  toSubject,
  withCard,
} from "./dialog.js";
import { numberFrom } from "./new.js";
import { writeFields } from "./write.js";

/** Title and body; the body is asked for first. */
export const edit = withCard((state, card) =>
  ask(state, { method: "board.task", params: { id: card.id }, to: `board.edit:${card.id}`, reads: true }),
);

export const EDIT: Dialog = {
  called: (state, answer, id) => {
    if (!answer.ok) return [showMessage(state, answer.message, true), []];
    if (state.overlay !== undefined) return [state, []];
    const { aside } = state.board;
    // What was typed before another change was found is not lost with the question about it.
    if (aside?.asker === "board.edit" && aside.subject["id"] === id)
      return [{ ...state, overlay: aside, board: { ...state.board, aside: undefined } }, []];
    const task = isData(answer.result) ? answer.result : {};
    const title = text(task, "title");
    const body = text(task, "body");
    const form = openForm(state, {
      asker: "board.edit",
      title: `Edit ${sanitizeLine(id)}`,
      button: "Save",
      subject: { id, version: String(number(task, "version")), title, body },
      fields: [
        field("line", "title", "Title", { text: title, required: true }),
        field("text", "body", "Body", { text: body }),
      ],
    });
    return [form, []];
  },
  filled: (state, { title = "", body = "" }, subject) => {
    const { id = "" } = subject;
    const fields = { ...(title === subject["title"] ? {} : { title }), ...(body === subject["body"] ? {} : { body }) };
    if (Object.keys(fields).length === 0) return [showMessage({ ...state, overlay: undefined }, "nothing changed"), []];
    return writeFields(state, { id, fields, done: `${id} saved` }, subject);
  },
};

export const comment = withCard((state, card) => [
  openForm(state, {
    asker: "board.comment",
    title: `Comment on ${card.id}`,
    lines: [card.title],
    button: "Comment",
    subject: toSubject(card),
    fields: [field("text", "text", "Comment", { required: true })],
  }),
  [],
]);

export const COMMENT: Dialog = {
  filled: (state, { text: words = "" }, { id = "" }) =>
    ask(state, { method: "kanban.comment", params: { id, text: [words] }, to: `board.comment:${id}` }),
  called: confirmChange((id) => `commented on ${id}`),
};

/** The priority of the card at hand, or of the marked ones. */
export function priority(state: State): Updated {
  const cards = subjectCards(state.board);
  const [first] = cards;
  if (first === undefined) return [showMessage(state, "no task selected"), []];
  const ids = cards.map((card) => card.id).join(" ");
  const one = cards.length === 1;
  const form = openForm(state, {
    asker: "board.priority",
    title: one ? `Priority of ${first.id}` : `Priority of ${cards.length} tasks`,
    button: "Set",
    lines: [one ? first.title : "", "Higher priority runs first."].filter((line) => line !== ""),
    subject: one ? toSubject(first, { ids }) : { ids },
    fields: [field("line", "priority", "Priority", { required: true, text: one ? String(first.priority) : "" })],
  });
  return [form, []];
}

export const PRIORITY: Dialog = {
  filled: (state, { priority: given = "" }, subject) => {
    const value = numberFrom(given);
    if (value === undefined) return [refused(state, `expected a whole number, got ${given.trim()}`), []];
    const ids = (subject["ids"] ?? "").split(" ");
    const [id = ""] = ids;
    if (ids.length > 1) return sendBulk(state, ids, { priority: value });
    return writeFields(state, { id, fields: { priority: value }, done: `${id}: priority ${value}` }, subject);
  },
};
