import type { Called } from "../../messages.js";
import type { Subject } from "../../overlays/confirm/state.js";
import { type State, say, type Updated } from "../../state.js";
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

/** Change fields of a task. Where somebody else changed it since the dialog was opened, that is asked first. */
export function writeFields(state: State, wanted: Wanted, subject: Subject): Updated {
  const who = changedBy(subject);
  if (who !== undefined) return [overwriting(state, wanted, who), []];
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

function overwriting(state: State, wanted: Wanted, who: string): State {
  const { overlay } = state;
  const aside = overlay?.kind === "form" ? { ...overlay, busy: false } : undefined;
  return openQuestion(
    { ...state, board: { ...state.board, aside } },
    {
      asker: "board.overwrite",
      title: `${wanted.id} changed by ${who}`,
      lines: [
        `${wanted.id} was changed by ${who} since this was opened.`,
        `What you entered replaces: ${Object.keys(wanted.fields).join(", ")}.`,
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

/** The answer to a change of fields. A change by somebody else is asked about, anything else stands in the form. */
export const WRITE: Dialog = {
  called: (state, answer: Called, text) => {
    const wanted = wantedFrom(text);
    if (wanted === undefined) return [state, []];
    if (!answer.ok && answer.code === "E_CONFLICT") return [overwriting(state, wanted, "somebody else"), []];
    const why = refusalOf(answer);
    if (why !== undefined) return [refused(state, why), []];
    return [say({ ...state, overlay: undefined, board: { ...state.board, aside: undefined } }, wanted.done), []];
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
