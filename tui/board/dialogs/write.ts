import { sanitize } from "../../draw/sanitize.js";
import type { CallResult } from "../../model/messages.js";
import { type State, showMessage, type Updated } from "../../model/state.js";
import type { Subject } from "../../overlays/confirm/state.js";
import { changedBy } from "../elsewhere.js";
import { isData } from "../wire.js";
import { ask, type Dialog, openQuestion, refusalOf, refused } from "./dialog.js";

/** A change of fields as it was asked for. */
export interface Wanted {
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Said when it is done. */
  readonly done: string;
}

/** Change fields of a task. Where it was changed elsewhere since the dialog was opened, that is asked first. */
export function writeFields(state: State, wanted: Wanted, subject: Subject): Updated {
  const who = changedBy(subject);
  if (who !== undefined) return askForTheirs(state, wanted, who);
  const expected_version = Number(subject["version"] ?? "0");
  return send(state, wanted, expected_version > 0 ? { expected_version } : {});
}

function send(state: State, { id, fields, done }: Wanted, more: Readonly<Record<string, unknown>>): Updated {
  return ask(state, {
    method: "board.write",
    params: { id, ...fields, ...more },
    to: `board.write:${JSON.stringify({ id, fields, done })}`,
  });
}

/** The other text is shown beside one's own: the task is read once more. */
const askForTheirs = (state: State, wanted: Wanted, who: string): Updated =>
  ask(state, {
    method: "board.task",
    params: { id: wanted.id },
    to: `board.conflict:${JSON.stringify({ wanted, who })}`,
    reads: true,
  });

/** The task as it is now, and with it the question. */
export const CONFLICT: Dialog = {
  called: (state, answer: CallResult, text) => {
    const value: unknown = JSON.parse(text);
    if (!isData(value)) return [state, []];
    const wanted = wantedFrom(JSON.stringify(value["wanted"]));
    if (wanted === undefined) return [state, []];
    const theirs = answer.ok && isData(answer.result) ? answer.result : {};
    return [overwriting(state, { wanted, who: String(value["who"] ?? "Someone"), theirs }), []];
  },
};

interface Conflict {
  readonly wanted: Wanted;
  readonly who: string;
  /** The task as another client left it; without it only the names of the fields are shown. */
  readonly theirs: Readonly<Record<string, unknown>>;
}

const SHOWN = 600;

/** A field in both texts, whole as far as a person reads it here. */
function bothTexts(name: string, theirs: unknown, mine: unknown): readonly string[] {
  const text = (value: unknown) => sanitize(String(value ?? "").slice(0, SHOWN)).trim() || "(empty)";
  const label = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return [
    `${label} now:`,
    ...text(theirs).split("\n").map(indented),
    `${label} after saving:`,
    ...text(mine).split("\n").map(indented),
  ];
}

const indented = (line: string): string => `  ${line}`;

function overwriting(state: State, { wanted, who, theirs }: Conflict): State {
  const { overlay } = state;
  const aside = overlay?.kind === "form" ? { ...overlay, busy: false } : undefined;
  return openQuestion(
    { ...state, board: { ...state.board, aside } },
    {
      asker: "board.overwrite",
      title: `${wanted.id} changed by ${who}`,
      lines: [
        `${who} changed ${wanted.id} while you were editing. Saving overwrites:`,
        ...Object.entries(wanted.fields).flatMap(([name, mine]) => bothTexts(name, theirs[name], mine)),
      ],
      yes: [
        { name: "overwrite", label: "overwrite", key: "o" },
        ...(aside === undefined ? [] : [{ name: "back", label: "back to the form", key: "b" }]),
      ],
      subject: { wanted: JSON.stringify(wanted) },
    },
  );
}

function wantedFrom(text: string | undefined): Wanted | undefined {
  const value: unknown = JSON.parse(text ?? "null");
  if (!isData(value)) return undefined;
  const { id, fields, done } = value;
  return typeof id === "string" && isData(fields) && typeof done === "string" ? { id, fields, done } : undefined;
}

/** The answer to a change of fields. A change made elsewhere is asked about, anything else stands in the form. */
export const WRITE: Dialog = {
  called: (state, answer: CallResult, text) => {
    const wanted = wantedFrom(text);
    if (wanted === undefined) return [state, []];
    if (!answer.ok && answer.code === "E_CONFLICT") return askForTheirs(state, wanted, "Someone");
    const why = refusalOf(answer);
    if (why !== undefined) return [refused(state, why), []];
    return [
      showMessage({ ...state, overlay: undefined, board: { ...state.board, aside: undefined } }, wanted.done),
      [],
    ];
  },
};

export const OVERWRITE: Dialog = {
  confirmed: (state, choice, subject) => {
    const { aside } = state.board;
    const next = { ...state, board: { ...state.board, aside: undefined } };
    if (choice === "back" && aside !== undefined) return [{ ...next, overlay: aside }, []];
    const wanted = wantedFrom(subject["wanted"]);
    return choice === "overwrite" && wanted !== undefined ? send(next, wanted, {}) : [next, []];
  },
};
