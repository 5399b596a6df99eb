import { sanitizeLine } from "../../draw/sanitize.js";
import { type Data, text } from "../../model/data.js";
import { type State, showMessage, type Updated } from "../../model/state.js";
import { columnsOf } from "../columns.js";
import { toWanted } from "../cursor.js";
import { isData } from "../wire.js";
import { choicesOf, skillsOf } from "./assign.js";
import { ask, type Dialog, field, openForm, refusalOf, refused } from "./dialog.js";

/** The form of a new task; marked tasks become its parents. */
export const create =
  (triage: boolean) =>
  (state: State): Updated => {
    const parents = [...state.board.marked].join(" ");
    const form = openForm(state, {
      asker: "board.new",
      title: triage ? "New task in triage" : "New task",
      button: "Create",
      subject: { triage: triage ? "1" : "" },
      fields: [
        field("line", "title", "Title", { required: true }),
        field("text", "body", "Body"),
        field("choice", "assignee", "Assignee", { choices: choicesOf(state.board.profiles) }),
        field("words", "parents", "Waits for", { text: parents, choices: parentsIn(state) }),
        field("line", "priority", "Priority"),
        field("words", "skills", "Skills", { choices: skillsOf(state.board.profiles) }),
      ],
    });
    return ask(form, { method: "profile.list", params: {}, to: "board.profiles", reads: true });
  };

/** Tasks offered as parents. */
const MOST = 2_000;

/** Cards that are here, found by id or title. */
const parentsIn = (state: State) =>
  columnsOf({ filter: "" })
    .flatMap((column) => state.board.columns[column])
    .slice(0, MOST)
    .map(({ id, title, status }) => ({ value: id, detail: `${title} · ${status}` }));

const words = (given = ""): readonly string[] => given.split(/[\s,]+/).filter((word) => word !== "");

/** A whole number; undefined: it is none. */
export const numberFrom = (given: string): number | undefined =>
  /^[+-]?\d{1,9}$/.test(given.trim()) ? Number(given.trim()) : undefined;

export const NEW: Dialog = {
  filled: (state, { title = "", body = "", assignee = "", parents, priority = "", skills }, subject) => {
    const number = priority.trim() === "" ? 0 : numberFrom(priority);
    if (number === undefined) return [refused(state, `Priority: expected a whole number, got ${priority.trim()}`), []];
    const params = {
      title,
      parent: words(parents),
      priority: number,
      skill: words(skills),
      triage: subject["triage"] === "1",
      ...(body.trim() === "" ? {} : { body }),
      ...(assignee.trim() === "" ? {} : { assignee: assignee.trim() }),
    };
    return ask(state, { method: "kanban.create", params, to: "board.new" });
  },
  called: (state, answer) => {
    const why = refusalOf(answer);
    if (why !== undefined) return [refused(state, why), []];
    const made: Data = answer.ok && isData(answer.result) ? answer.result : {};
    const warnings = made["warnings"];
    const warning = Array.isArray(warnings) && warnings.length > 0 ? ` · ${sanitizeLine(String(warnings[0]))}` : "";
    const id = sanitizeLine(text(made, "id"));
    const board = { ...state.board, wanted: id, marked: new Set<string>() };
    return [toWanted(showMessage({ ...state, overlay: undefined, board }, `Created ${id}${warning}`)), []];
  },
};
