import type { BusyMode } from "../../lib/contracts/chat/queue.js";
import { addCommand } from "../chat/update.js";
import { sanitizeLine } from "../draw/sanitize.js";
import { inlineCommand } from "../inline/commands.js";
import { type State, showMessage, type Updated } from "../model/state.js";
import { quits, requestQuit } from "../overlays/quit/update.js";
import { answeredBy } from "../questions/acts.js";
import { answersQuestion, enterAnswers, shownQuestion } from "../questions/shown.js";
import { expandChips } from "./chip.js";
import { taken, takes } from "./completion/take.js";
import { forgotten } from "./drafts.js";
import { clear } from "./editor.js";
import { attachCommand, chipAt, expandAll, expandAt } from "./paste.js";
import { putBack } from "./queue/items.js";
import { FULL, isFull, posted, sendsNext } from "./queue/queue.js";
import type { Unsent } from "./state.js";
import { clearText, edited, sentFrom, TOO_LONG } from "./update.js";

/** What Enter does now. The line above the text says it, so both come from here. */
export interface Entering {
  readonly says: string;
  readonly act: (state: State) => Updated;
}

/** One after the other; the first that applies. */
const RULES: readonly ((state: State, text: string) => Entering | undefined)[] = [
  (state) => {
    const question = state.questions.asking.focused ? shownQuestion(state) : undefined;
    return question && { says: enterAnswers(state, question), act: (now) => [now, []] };
  },
  (state) => {
    const candidate = takes(state);
    return candidate && { says: `Enter: take ${sanitizeLine(candidate.label)}`, act: taken };
  },
  (state) => (chipAt(state) === undefined ? undefined : { says: "Enter: expand the paste", act: expandAt }),
  ({ composer }) =>
    composer.editing === undefined ? undefined : { says: "Enter: save to the queue · Esc: cancel", act: putBack },
  (state, text) => (text === "" ? inEmpty(state) : undefined),
  (_state, text) => (text === "?" ? { says: "Enter: help", act: help } : undefined),
  (_state, text) => (quits(text) ? { says: "Enter: quit", act: (now) => requestQuit(now) } : undefined),
  (_state, text) => (/\/paste\s+expand$/.test(text) ? { says: "Enter: expand the paste", act: expandAll } : undefined),
  (_state, text) => {
    const attach = attachCommand(text);
    return attach && { says: "Enter: attach it", act: attach };
  },
  (state, text) => {
    const local = text.startsWith("/") ? (inlineCommand(state, text) ?? localCommand(state, text)) : undefined;
    return local && { says: `Enter: ${text}`, act: (now) => local(clearText(now)) };
  },
  (state, text) => commandRule(state, text),
  (state) => (answersQuestion(state) === undefined ? undefined : { says: "Enter: answer", act: answer }),
  ({ connection, session }) =>
    connection === "lost" && session.id !== undefined
      ? { says: "not connected: Enter keeps it", act: message }
      : undefined,
  ({ session, display }) =>
    session.turnSince === undefined
      ? undefined
      : { says: BUSY[modeOf(display.busyMode)], act: (state) => send(state, modeOf(display.busyMode)) },
];

export function entering(state: State): Entering {
  const { editor } = state.composer;
  const text = editor.text.length < LONGEST_COMMAND ? editor.text.trim() : "…";
  for (const rule of RULES) {
    const found = rule(state, text);
    if (found !== undefined) return found;
  }
  return { says: "Enter: send", act: message };
}

const LONGEST_COMMAND = 10_000; // nothing longer is looked through at every key

/** Enter. */
export const enter = (state: State): Updated => entering(state).act(state);

type Mode = Exclude<BusyMode, "auto">;
const modeOf = (mode: BusyMode): Mode => (mode === "auto" ? "queue" : mode);

const BUSY: Readonly<Record<Mode, string>> = {
  queue: "Enter: queue",
  steer: "Enter: steer",
  interrupt: "Enter: interrupt and send",
};

/** Nothing is typed. An open question has the key: the line says what it does there. */
function inEmpty(state: State): Entering | undefined {
  const question = shownQuestion(state);
  if (question !== undefined && !state.questions.asking.aside)
    return { says: enterAnswers(state, question), act: (now) => [now, []] };
  if (continues(state) !== undefined)
    return { says: "Enter: continue the turn that was cut off", act: (now) => continues(now) ?? [now, []] };
  if (sendsNext(state))
    return { says: "queue paused: Enter sends the next", act: (now) => [now, [{ do: "sendNext" }]] };
  return undefined;
}

/** Enter in the empty composer lets a turn go on that was cut off. */
function continues(state: State): Updated | undefined {
  const { chat, session } = state;
  if (!chat.cutOff || session.id === undefined || session.turnSince !== undefined || state.connection === "lost")
    return undefined;
  const params = { session_id: session.id, text: "", mode: "continue" };
  return [
    { ...state, chat: { ...chat, cutOff: false, top: undefined } },
    [{ do: "call", method: "turn.submit", params }],
  ];
}

const help = (state: State): Updated => [
  edited(state, clear(state.composer.editor)),
  [{ do: "tell", message: { type: "act", action: "help" } }],
];

function commandRule(state: State, text: string): Entering | undefined {
  if (text !== "…" && isShellLine(state.composer.editor.text))
    return { says: shellSays(state), act: (current) => command(current) };
  const name = /^\/[^\s/]*(?=\s|$)/.exec(state.composer.editor.text)?.[0];
  if (name === undefined || text === "…") return undefined;
  const now = state.session.turnSince === undefined ? "" : " at once";
  const says =
    state.connection === "lost" ? "not connected: the command waits here" : `Enter: run ${sanitizeLine(name)}${now}`;
  return { says, act: (current) => command(current) };
}

/** A command without arguments that the screen itself answers, by the key table; undefined: it is the owner's. */
function localCommand(state: State, text: string): ((state: State) => Updated) | undefined {
  const name = /^\/([a-z-]+)\s*$/.exec(text)?.[1];
  return name === undefined ? undefined : state.keymap.find((one) => one.slash === name)?.act;
}

/** `!ls` runs in the conversation's terminal; `!!ls` gives its output to the model as well. */
const isShellLine = (text: string): boolean => /^!!?\s*[^\s!]/.test(text);

function shellSays({ connection, composer }: State): string {
  if (connection === "lost") return "not connected: the command waits here";
  return composer.editor.text.startsWith("!!")
    ? "Enter: run in the shell, for the model too"
    : "Enter: run in the shell";
}

/** A command acts at once, whether a turn runs or not, and is never a message to the model. */
function command(state: State): Updated {
  if (state.connection === "lost")
    return [showMessage(state, "not connected: the command stays here until the owner is back"), []];
  const text = whole(state).trimEnd();
  const [chat, id] = addCommand(state.chat, text);
  return remembered([sentFrom({ ...state, chat }), [{ do: "command", text, id }]], text);
}

/** Everything that is sent, the chips as what they stand for. */
const whole = ({ composer }: State): string => expandChips(composer.editor.text, composer.chips);

function answer(state: State): Updated {
  const text = whole(state);
  const question = answersQuestion(state);
  if (question === undefined) return message(state);
  const [next, more] = forgotten(sentFrom(state));
  return [next, [answeredBy(question, text), ...more]];
}

const message = (state: State): Updated => send(state, undefined);

/** A message to the conversation. `mode`: what it does while a turn runs. */
function send(state: State, mode: Unsent["mode"]): Updated {
  const text = whole(state);
  if (text.trim() === "") return [state, []];
  if (text.length > MAX_MESSAGE) return [showMessage(state, TOO_LONG, true), []];
  if (isFull(state)) return [showMessage(state, FULL, true), []];
  return remembered(posted(sentFrom(state), text, mode), text);
}

const MAX_MESSAGE = 1 << 20;

/** Steer or interrupt, whatever Enter does. A command is none: it acts with Enter. */
export function sendAs(state: State, mode: "steer" | "interrupt"): Updated {
  if (state.composer.editing !== undefined) return [showMessage(state, "press Enter to save it first"), []];
  if (state.composer.editor.text.trim() === "") return [showMessage(state, "type a message first"), []];
  if (commandRule(state, "") !== undefined) return [showMessage(state, "commands run at once: press Enter"), []];
  return send(state, mode);
}

/** It is no longer a draft. The owner keeps it for other screens; a line that begins with a blank stays private. */
function remembered([state, effects]: Updated, text: string): Updated {
  const [next, more] = forgotten(state);
  return [next, [...effects, ...more, ...(/^\s/.test(text) ? [] : [{ do: "remember", text } as const])]];
}
