import { continues } from "../chat/continue.js";
import { asked } from "../chat/update.js";
import { leaving } from "../overlays/quit/update.js";
import { localCommand } from "../overlays/slash.js";
import { answeredBy } from "../questions/acts.js";
import { answersQuestion } from "../questions/shown.js";
import { type State, say, type Updated } from "../state.js";
import { type Editor, erase, insert, type MOVES, move, replaceAll } from "./editor.js";
import { sendsNext } from "./queue.js";

const MAX_QUEUE = 32; // core part, 9.2
const MAX_HISTORY = 500;

/** Typed or pasted text goes to the composer. */
export function typed(state: State, text: string): Updated {
  const clean = text.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "");
  const editor = insert(state.composer.editor, clean);
  if (editor === state.composer.editor && clean !== "") return [say(state, "too long: the composer holds 1 MiB"), []];
  return [edited(state, editor), []];
}

/** What is typed now, not an entry of the history. */
export const edited = (state: State, editor: Editor): State => ({ ...state, composer: { ...state.composer, editor, historyAt: -1 } });

/** Move in the text; up in the first line and down in the last go through the history. */
export function moved(state: State, step: keyof typeof MOVES): State {
  const { composer } = state;
  const editor = move(composer.editor, step);
  const stuck = editor.cursor === composer.editor.cursor;
  if (!stuck || (step !== "up" && step !== "down") || composer.history.length === 0) return { ...state, composer: { ...composer, editor } };
  const historyAt = step === "up" ? Math.min(composer.historyAt + 1, composer.history.length - 1) : Math.max(composer.historyAt - 1, -1);
  const text = historyAt < 0 ? "" : (composer.history[historyAt] ?? "");
  return { ...state, composer: { ...composer, historyAt, editor: replaceAll(composer.editor, text) } };
}

export const erased = (state: State, step: keyof typeof MOVES, keep: boolean): State =>
  edited(state, erase(state.composer.editor, step, keep));

/** Enter: a command, an answer, a message, or the next of a queue that is paused. */
export function send(state: State): Updated {
  const { text } = state.composer.editor;
  if (text.trim() === "") return continues(state) ?? [state, sendsNext(state) ? [{ do: "sendNext" }] : []];
  if (text === "?") return [emptied(state), [{ do: "tell", message: { type: "act", action: "help" } }]];
  if (/^\/(quit|exit)\s*$/.test(text)) return leaving(state);
  const local = localCommand(state, text);
  if (local !== undefined) return local(emptied(state));
  if (/^\/[^\s/]*(\s|$)/.test(text)) return command(state, text.trimEnd());
  const asked = answersQuestion(state);
  if (asked !== undefined) return [sentFrom(state), [answeredBy(asked, text)]];
  if (state.queue.local.length >= MAX_QUEUE) return [say(state, `the queue holds ${MAX_QUEUE} messages; wait until one was sent`), []];
  const { queue } = state;
  const next: State = { ...sentFrom(state), queue: { ...queue, local: [...queue.local, text] } };
  const [first = text] = next.queue.local;
  const can = state.connection === "connected" && state.session.id !== undefined && !queue.sending;
  return can ? [{ ...next, queue: { ...next.queue, sending: true } }, [{ do: "submit", text: first }]] : [next, []];
}

/** Cleared, and in the history, so that it can be had back. */
export function emptied(state: State): State {
  const { editor } = state.composer;
  return remembering(edited(state, { ...replaceAll(editor, ""), cursor: 0 }), editor.text);
}

/** The composer is empty again and the end of the conversation is seen. */
function sentFrom(state: State): State {
  const { text } = state.composer.editor;
  const next = edited(state, { ...replaceAll(state.composer.editor, ""), undo: [] });
  return remembering({ ...next, chat: { ...next.chat, top: undefined, mark: undefined } }, text);
}

/** A command acts at once, whether a turn runs or not, and is never a message to the model. */
function command(state: State, text: string): Updated {
  if (state.connection === "lost") return [say(state, "not connected: the command stays here until the owner is back"), []];
  const [chat, id] = asked(state.chat, text);
  return [sentFrom({ ...state, chat }), [{ do: "command", text, id }]];
}

const remembering = (state: State, text: string): State => {
  const history = [text, ...state.composer.history.filter((one) => one !== text)].slice(0, MAX_HISTORY);
  return { ...state, composer: { ...state.composer, history } };
};
