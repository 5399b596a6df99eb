import { sanitizeLine } from "../../draw/sanitize.js";
import { text } from "../../model/data.js";
import type { State, Updated } from "../../model/state.js";
import type { FormField } from "../../overlays/form/state.js";
import type { PickItem } from "../../overlays/pick/state.js";
import type { Profile, TaskCard } from "../state.js";
import { dataRows } from "../wire.js";
import { sendBulk } from "./bulk.js";
import { ask, confirmChange, type Dialog, openQuestion, subjectCards, toSubject } from "./dialog.js";
import { writeFields } from "./write.js";

const NOBODY = "none";

/** Assign tasks. A running one has to be taken back first, and that is offered before anything else. */
export function assign(state: State): Updated {
  const cards = subjectCards(state.board);
  const [first] = cards;
  if (first === undefined) return [state, []];
  const running = cards.filter((card) => card.status === "running");
  return running.length > 0 ? [reclaimQuestion(state, cards, running), []] : openProfiles(state, cards, "");
}

function reclaimQuestion(state: State, cards: readonly TaskCard[], running: readonly TaskCard[]): State {
  const rest = cards.length - running.length;
  return openQuestion(state, {
    asker: "board.assignRunning",
    title: running.length === 1 ? `${running[0]?.id ?? ""} is running` : `${running.length} tasks are running`,
    lines: ["A running task can be reassigned only after its worker has stopped."],
    yes: [
      { name: "reclaim", label: "reclaim, then assign", key: "r" },
      ...(rest > 0 ? [{ name: "rest", label: `only the other ${rest}`, key: "o" }] : []),
    ],
    subject: { ids: cards.map((card) => card.id).join(" ") },
  });
}

export const ASSIGN_RUNNING: Dialog = {
  confirmed: (state, choice, { ids = "" }) => {
    const cards = ids.split(" ").flatMap((id) => state.board.cards.get(id) ?? []);
    if (choice === "reclaim") return openProfiles(state, cards, "1");
    return choice === "rest"
      ? openProfiles(
          state,
          cards.filter((card) => card.status !== "running"),
          "",
        )
      : [state, []];
  },
};

function openProfiles(state: State, cards: readonly TaskCard[], reclaim: string): Updated {
  const [first] = cards;
  if (first === undefined) return [state, []];
  const title =
    cards.length === 1 ? `Assign ${first.id} · ${first.assignee ?? "unassigned"}` : `Assign ${cards.length} tasks`;
  const ids = cards.map((card) => card.id).join(" ");
  const subject = cards.length === 1 ? toSubject(first, { ids, reclaim }) : { ids, reclaim };
  const known = state.board.profiles;
  const items = known.length === 0 ? undefined : itemsOf(known);
  const [asked, effects] = ask(state, { method: "profile.list", params: {}, to: "board.profiles", reads: true });
  if (effects.length === 0) return [asked, []];
  return [
    { ...asked, overlay: { kind: "pick", asker: "board.assign", title, items, filter: "", at: 0, subject } },
    effects,
  ];
}

const itemsOf = (profiles: readonly Profile[]): readonly PickItem[] => [
  ...profiles.map(({ name, about: detail }) => ({ value: name, label: name, detail })),
  { value: NOBODY, label: NOBODY, detail: "unassigned; goes to the default assignee" },
];

export const ASSIGN: Dialog = {
  picked: (state, value, subject) => {
    const ids = (subject["ids"] ?? "").split(" ");
    const [id = ""] = ids;
    const assignee = value === NOBODY ? null : value;
    const reclaim = subject["reclaim"] === "1";
    if (ids.length > 1) return sendBulk(state, ids, { assignee, reclaim });
    if (!reclaim) return writeFields(state, { id, fields: { assignee }, done: `${id}: @${value}` }, subject);
    return ask(state, {
      method: "kanban.reassign",
      params: { id, profile: value, reclaim: true },
      to: `board.assign:${id}`,
    });
  },
  called: confirmChange((id) => `${id} reclaimed and assigned`),
};

/** Profiles have come: the menu and the form that wait for them get them. */
export const PROFILES: Dialog = {
  called: (state, answer) => {
    if (!answer.ok) return [state, []];
    const profiles = dataRows(answer.result).map((row) => ({
      name: sanitizeLine(text(row, "name")),
      about: sanitizeLine([text(row, "description"), text(row, "model")].filter((part) => part !== "").join(" · ")),
      skills: namesIn(row["skills"]),
    }));
    const next = { ...state, board: { ...state.board, profiles } };
    const { overlay } = state;
    if (overlay?.kind === "pick" && overlay.asker === "board.assign")
      return [{ ...next, overlay: { ...overlay, items: itemsOf(profiles) } }, []];
    if (overlay?.kind !== "form" || overlay.asker !== "board.new") return [next, []];
    const fields = overlay.fields.map((one) => completedBy(one, profiles));
    return [{ ...next, overlay: { ...overlay, fields } }, []];
  },
};

const completedBy = (field: FormField, profiles: readonly Profile[]): FormField =>
  field.name === "assignee"
    ? { ...field, choices: choicesOf(profiles) }
    : field.name === "skills"
      ? { ...field, choices: skillsOf(profiles) }
      : field;

/** Skills of all profiles as completions: with whom each is. */
export function skillsOf(profiles: readonly Profile[]) {
  const names = [...new Set(profiles.flatMap(({ skills }) => skills))].toSorted();
  const holders = (skill: string) =>
    profiles.filter(({ skills }) => skills.some((one) => one === skill)).map(({ name }) => name);
  return names.map((value) => ({ value, detail: holders(value).join(", ") }));
}

/** Profiles as choices of a form. */
export const choicesOf = (profiles: readonly Profile[]) =>
  profiles.map(({ name, about: detail }) => ({ value: name, detail }));

const namesIn = (given: unknown): Profile["skills"] =>
  Array.isArray(given) ? given.map((name) => sanitizeLine(String(name))) : [];
