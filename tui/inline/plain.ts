import type { State } from "../model/state.js";
import { formLines } from "../questions/form/aloud.js";
import type { Look } from "../terminal/screen.js";
import type { Surface } from "../terminal/surface.js";
import { sgrTable } from "../theme/sgr.js";
import { questionLines } from "./aloud.js";
import { rowBytes, rowText } from "./bytes.js";
import { createScribe } from "./scribe.js";

const PROMPT = "> ";

/** Finished lines one after the other and nothing else: for pipes, terminals without cursor movements, and screen readers. */
export function plainSurface(columns: number, first: Look): Surface {
  const scribe = createScribe();
  const asked = createAsked();
  let sgr = first.depth === "none" ? undefined : sgrTable(first.depth, first.palette, first.italic);
  let width = columns;
  /** Lines that had been typed when the prompt was written; undefined: it is not there. */
  let prompted: number | undefined;
  return {
    frame: (state) => {
      const rows = scribe
        .write(state, width)
        .map((row) => (sgr === undefined ? rowText(row) : rowBytes(row, { sgr, links: false })));
      const text = [...rows, ...asked(state)].map((line) => `${line}\n`).join("");
      if (state.inline?.aloud !== true) return text;
      const { lines } = state.inline;
      const above = text !== "" && prompted === lines ? "\n" : ""; // nothing was typed behind the prompt: its line is ended here
      if (text !== "" || prompted !== lines) prompted = undefined;
      if (prompted !== undefined || !takesLine(state)) return above + text;
      prompted = lines;
      return above + text + PROMPT;
    },
    resize: (now) => {
      width = now;
    },
    look: ({ depth, palette, italic }) => {
      sgr = depth === "none" ? undefined : sgrTable(depth, palette, italic);
    },
    forget: () => undefined,
    aside: () => (prompted === undefined ? "" : "\n"),
    close: () => undefined,
  };
}

/** A line is waited for: nothing runs, or a question is open. */
const takesLine = ({ session, chat, inline, questions, queue }: State): boolean =>
  session.id !== undefined &&
  !chat.loading &&
  inline?.tools !== undefined &&
  (questions.open.length > 0 ||
    (session.turnSince === undefined &&
      queue.local.length === 0 &&
      !chat.items.some((item) => item.kind === "command" && item.answer === undefined)));

/** Lines of the open question that were not printed yet: one question at a time, and again when an earlier one is closed. */
function createAsked(): (state: State) => readonly string[] {
  let printed: string | undefined;
  return ({ inline, questions }) => {
    const [question] = questions.open;
    if (inline?.aloud !== true || question === undefined) return [];
    const { request, form } = question;
    const now = form === undefined ? request : `${request} ${form.at} ${form.tries}`;
    if (now === printed) return [];
    const again = printed?.startsWith(`${request} `) === true;
    printed = now;
    return again && form !== undefined ? formLines(form) : questionLines(question);
  };
}
