import type { KeyInput } from "./decode.js";
import { clear, erase, insert, type MOVES, move, replaceAll, undo, yank } from "./editor.js";
import { type Action, actionFor, type Context, keyName } from "./keys.js";
import type { Effect } from "./messages.js";
import { type Focus, PANES, type Pane, type State } from "./state.js";
import { asked } from "./update-chat.js";
import { clarifyWith } from "./update-question.js";
import { sendsNext } from "./update-queue.js";

type Updated = readonly [State, readonly Effect[]];

const RING: readonly Focus[] = ["composer", ...PANES];
const TWICE_MS = 2_000; // second Ctrl+C within this time means it (workspace part, 3.3)
const MAX_QUEUE = 32; // core part, 9.2

/** A key: looked up in the contexts that are active, or typed. */
export function updateKey(state: State, input: KeyInput): Updated {
  if (state.help && input.name !== "c") return [{ ...state, help: false }, []];
  const action = actionFor(keyName(input), contextsOf(state));
  if (action) return act(state, action);
  if (state.focus !== "composer") return hint(state, input);
  return input.ctrl || input.alt || input.name.length !== 1 ? [state, []] : updateText(state, input.name, false);
}

/** Typed or pasted text goes to the composer; in a pane a single letter is a key. */
export function updateText(state: State, text: string, pasted: boolean): Updated {
  if (state.focus !== "composer" && !pasted) {
    let now: Updated = [state, []];
    for (const name of text) {
      const [next, effects] = updateKey(now[0], { type: "key", name, shift: false, alt: false, ctrl: false });
      now = [next, [...now[1], ...effects]];
    }
    return now;
  }
  const clean = text.replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "");
  const composer = insert(state.composer, clean);
  if (composer === state.composer && clean !== "") return [say(state, "too long: the composer holds 1 MiB"), []];
  return [{ ...state, composer, historyAt: -1 }, []];
}

function contextsOf(state: State): readonly Context[] {
  if (state.focus === "composer") return ["composer", "everywhere"];
  return state.focus === "board" ? ["board", "list", "everywhere"] : ["list", "everywhere"];
}

function act(state: State, action: Action): Updated {
  const [group, detail = ""] = action.split(".");
  switch (group) {
    case "pane":
      return [focusOn(state, detail as Pane), []]; // the action's own name holds a pane
    case "focus":
      return [focusOn(state, ring(state.focus, detail === "next" ? 1 : -1)), []];
    case "move":
      return [moved(state, detail as keyof typeof MOVES), []]; // the action's own name holds a move
    case "erase":
      return [edited(state, erase(state.composer, detail as keyof typeof MOVES, detail !== "left" && detail !== "right")), []]; // as above
    case "page":
      return [scrollBy(state, detail === "up" ? state.rows - 8 : 8 - state.rows), []];
    case "column":
      return [column(state, detail === "left" ? -1 : 1), []];
    default:
      return single(state, action);
  }
}

function single(state: State, action: Action): Updated {
  switch (action) {
    case "help":
      return [{ ...state, help: !state.help }, []];
    case "composer":
      return [focusOn(state, "composer"), []];
    case "zoom":
      return [{ ...state, zoom: !state.zoom }, []];
    case "interrupt":
      return ladder(state);
    case "redraw":
    case "suspend":
      return [state, [{ do: action }]];
    case "quit":
      return state.composer.text === "" ? [state, [{ do: "quit" }]] : [edited(state, erase(state.composer, "right")), []];
    case "send":
      return send(state);
    case "newline":
      return [edited(state, insert(state.composer, "\n")), []];
    case "yank":
      return [edited(state, yank(state.composer)), []];
    case "undo":
      return [edited(state, undo(state.composer)), []];
    case "refresh":
      return [state, [{ do: "reload" }]];
    default:
      return [scrolled(state, action), []];
  }
}

function scrolled(state: State, action: Action): State {
  if (action === "up") return state.focus === "board" ? row(state, -1) : scrollBy(state, 1);
  if (action === "down") return state.focus === "board" ? row(state, 1) : scrollBy(state, -1);
  return action === "home"
    ? scrollBy(state, Number.MAX_SAFE_INTEGER)
    : action === "end"
      ? scrollBy(state, -Number.MAX_SAFE_INTEGER)
      : state;
}

/** First that applies: stop the command that follows, interrupt the turn, clear the composer, quit at the second press (workspace part, 3.3). */
function ladder(state: State): Updated {
  if (state.help) return [{ ...state, help: false }, []];
  if (state.following !== undefined) return [state, [{ do: "unfollow" }]];
  if (state.turnSince !== undefined) {
    const force = state.interruptedAt !== undefined && state.now - state.interruptedAt < TWICE_MS;
    return [{ ...state, phase: "interrupting", interruptedAt: state.now }, [{ do: "interrupt", force }]];
  }
  if (state.composer.text !== "")
    return [{ ...edited(state, clear(state.composer)), history: remember(state.history, state.composer.text) }, []];
  if (state.quitArmed !== undefined) return [state, [{ do: "quit" }]];
  return [{ ...say(state, "Press Ctrl+C again to quit"), quitArmed: state.now + TWICE_MS }, []];
}

function send(state: State): Updated {
  const text = state.composer.text;
  if (text.trim() === "") return [state, sendsNext(state) ? [{ do: "sendNext" }] : []];
  if (text === "?") return [{ ...state, help: true, composer: clear(state.composer) }, []];
  if (/^\/(quit|exit)\s*$/.test(text)) return [state, [{ do: "quit" }]];
  if (/^\/[^\s/]*(\s|$)/.test(text)) return command(state, text.trimEnd());
  const answer = clarifyWith(state, text);
  if (answer !== undefined) return [sentFrom(state), [answer]];
  if (state.queue.length >= MAX_QUEUE) return [say(state, `the queue holds ${MAX_QUEUE} messages; wait until one was sent`), []];
  const next: State = { ...sentFrom(state), queue: [...state.queue, text] };
  const [first = text] = next.queue;
  const can = state.connection === "connected" && state.session !== undefined && !state.sending;
  return can ? [{ ...next, sending: true }, [{ do: "submit", text: first }]] : [next, []];
}

/** The composer is empty again and the end of the conversation is seen. */
function sentFrom(state: State): State {
  const { text } = state.composer;
  return {
    ...state,
    composer: { ...clear(state.composer), undo: [] },
    history: remember(state.history, text),
    historyAt: -1,
    scroll: { ...state.scroll, chat: 0 },
  };
}

/** A command acts at once, whether a turn runs or not, and is never a message to the model. */
function command(state: State, text: string): Updated {
  if (state.connection === "lost") return [say(state, "not connected: the command stays here until the owner is back"), []];
  const [next, id] = asked(sentFrom(state), text);
  return [next, [{ do: "command", text, id }]];
}

function moved(state: State, step: keyof typeof MOVES): State {
  const composer = move(state.composer, step);
  const stuck = composer.cursor === state.composer.cursor;
  if (!stuck || (step !== "up" && step !== "down") || state.history.length === 0) return { ...state, composer };
  const at = step === "up" ? Math.min(state.historyAt + 1, state.history.length - 1) : Math.max(state.historyAt - 1, -1);
  return { ...state, historyAt: at, composer: replaceAll(state.composer, at < 0 ? "" : (state.history[at] ?? "")) };
}

const remember = (history: readonly string[], text: string): readonly string[] =>
  [text, ...history.filter((one) => one !== text)].slice(0, 500);
const edited = (state: State, composer: State["composer"]): State => ({ ...state, composer, historyAt: -1 });
const say = (state: State, text: string): State => ({ ...state, message: { text, error: false, until: state.now + 2_000 } });
const ring = (focus: Focus, by: number): Focus => RING[(RING.indexOf(focus) + by + RING.length) % RING.length] ?? "composer";

function focusOn(state: State, focus: Focus): State {
  return { ...state, focus, pane: focus === "composer" ? state.pane : focus };
}

function hint(state: State, input: KeyInput): Updated {
  return input.name.length === 1 && !input.ctrl ? [say(state, "i or Esc to type"), []] : [state, []];
}

function scrollBy(state: State, by: number): State {
  const pane: Pane = state.focus === "composer" ? "chat" : state.focus;
  const most = Math.max(0, pane === "logs" ? state.logs.length - 1 : 100_000);
  return { ...state, scroll: { ...state.scroll, [pane]: Math.min(most, Math.max(0, state.scroll[pane] + by)) } };
}

const column = (state: State, by: number): State => ({
  ...state,
  cursor: { column: Math.min(6, Math.max(0, state.cursor.column + by)), row: 0 },
});
const row = (state: State, by: number): State => ({ ...state, cursor: { ...state.cursor, row: Math.max(0, state.cursor.row + by) } });
