import { lastCodeBlock } from "../../lib/base/text/code-block.js";
import { replaceAll } from "../composer/editor.js";
import { focusOn } from "../model/focus.js";
import type { Effect } from "../model/messages.js";
import { type State, showMessage, type Updated } from "../model/state.js";
import type { ConfirmChoice } from "../overlays/confirm/state.js";
import { chatEntries, GROUP, isOpen } from "./entries.js";
import { wanted } from "./history.js";
import type { Aspect } from "./look/look.js";
import { onlyLooked } from "./look/tool.js";
import { cursorPlace, topAt } from "./move.js";
import { sourceOf } from "./sealed.js";
import type { ChatItem, ChatState } from "./state.js";

/** The item that the keys of the pane mean; a group is its first call. */
function itemAt(state: State): { readonly key: string; readonly item: ChatItem | undefined } {
  const entries = chatEntries(state);
  const key = entries[cursorPlace(state, entries)]?.key ?? "";
  const bare = key.startsWith(GROUP) ? key.slice(GROUP.length) : key;
  return { key, item: state.chat.items.find((one) => one.key === bare) };
}

/** What the fold key folds of an item, and whether that is unfolded now. */
function foldOf(state: State): readonly [key: string, aspect: Aspect, open: boolean] | undefined {
  const { key, item } = itemAt(state);
  const { chat, display } = state;
  const at = (aspect: Aspect, otherwise: boolean) => [key, aspect, isOpen(chat, key, aspect) ?? otherwise] as const;
  if (key.startsWith(GROUP)) return at("group", false);
  if (chat.thinking?.key === key || item?.kind === "thinking")
    return at("thinking", display.details.thinking === "expanded");
  if (item?.kind === "user") return at("text", false);
  if (item?.kind === "child") return at("inner", display.details.children === "expanded");
  if (item?.kind !== "tool") return undefined;
  if (item.inner.length > 0) return at("inner", false);
  return item.result?.diff === undefined ? at("output", display.details.tools === "expanded") : at("diff", false);
}

/** What is under the cursor has a sign before its first row that tells how it went, or whether it is unfolded. */
export function foldsByItsSign(state: State): boolean {
  const aspect = foldOf(state)?.[1];
  return aspect !== undefined && aspect !== "text";
}

/** Fold or unfold what is under the cursor. */
export function folded(state: State): Updated {
  const found = foldOf(state);
  if (found !== undefined) return fold(state, found);
  return itemAt(state).key === "todo" ? todoFolded(state) : [showMessage(state, "Nothing to expand here"), []];
}

/** One part of the item: thinking, difference, output. */
export const aspectFolded =
  (aspect: Aspect, of: (item: ChatItem) => boolean, none: string) =>
  (state: State): Updated => {
    const { key, item } = chosenOr(state, of);
    if (item === undefined || !of(item)) return [showMessage(state, none), []];
    const standard =
      aspect === "diff"
        ? undefined
        : aspect === "thinking"
          ? state.display.details.thinking === "expanded"
          : state.display.details.tools === "expanded";
    const open = isOpen(state.chat, key, aspect) ?? standard ?? false;
    return fold(state, [key.replace(GROUP, ""), aspect, open]);
  };

/** The item under the cursor; before one was chosen the newest that fits. */
function chosenOr(state: State, of: (item: ChatItem) => boolean): ReturnType<typeof itemAt> {
  const newest = state.chat.cursor === undefined ? state.chat.items.findLast(of) : undefined;
  return newest === undefined ? itemAt(state) : { key: newest.key, item: newest };
}

/** The item keeps its row on the screen: what is above it does not move. */
function fold(state: State, [key, aspect, open]: readonly [string, Aspect, boolean]): Updated {
  const { chat } = state;
  const entries = chatEntries(state);
  const folds = { ...chat.folds, [`${key} ${aspect}`]: !open };
  const pinned =
    chat.top === undefined && entries[entries.length - 1]?.key !== key ? topAt(state, entries, undefined) : state;
  const next: State = { ...pinned, chat: { ...pinned.chat, folds, cursor: chat.cursor ?? key } };
  return open || aspect !== "output" ? [next, []] : [next, wholeOf(next, key)];
}

/** Ask for the whole of a result of which only the beginning is here. */
function wholeOf({ chat }: State, key: string): readonly Effect[] {
  const item = chat.items.find((one) => one.key === key);
  if (
    item?.kind !== "tool" ||
    item.result === undefined ||
    !item.result.cut ||
    item.result.place === undefined ||
    chat.whole[key] !== undefined
  )
    return [];
  return [
    { do: "call", method: "session.message", params: { ...item.result.place }, to: `chat.whole:${key}`, reads: true },
  ];
}

/** Everything that can be unfolded is, or nothing of it: as wanted, or when something was. */
export function allFolded(state: State, wanted: "on" | "off" | "toggle" = "toggle"): Updated {
  const { chat } = state;
  const fold = wanted === "toggle" ? Object.values(chat.folds).some(Boolean) : wanted === "off";
  if (fold) return [{ ...state, chat: { ...chat, folds: {} } }, []];
  const folds = Object.fromEntries(
    chat.items.flatMap((item, place) => aspectsOf(item, chat.items[place - 1]).map((name) => [name, true] as const)),
  );
  return [{ ...state, chat: { ...chat, folds } }, []];
}

function aspectsOf(item: ChatItem, before: ChatItem | undefined): readonly string[] {
  if (item.kind === "user") return [`${item.key} text`];
  if (item.kind === "thinking") return [`${item.key} thinking`];
  if (item.kind === "child") return [`${item.key} inner`];
  if (item.kind !== "tool") return [];
  const head =
    onlyLooked(item) && !(before?.kind === "tool" && onlyLooked(before)) ? [`${GROUP}${item.key} group`] : [];
  return [...head, `${item.key} ${item.result?.diff === undefined ? "output" : "diff"}`];
}

export const todoFolded = (state: State): Updated => [
  { ...state, chat: { ...state.chat, todoOpen: !state.chat.todoOpen } },
  [],
];

/** Text of what is under the cursor, as it was written. */
function sourceAt(state: State): string | undefined {
  const { key, item } = itemAt(state);
  const { live, thinking, whole, todo } = state.chat;
  if (live?.key === key) return live.source;
  if (thinking?.key === key) return thinking.source;
  if (key === "todo")
    return todo.map(({ text, status }) => `- [${status === "completed" ? "x" : " "}] ${text}`).join("\n");
  return item === undefined ? undefined : (whole[key] ?? sourceOf(item));
}

/** Copy the item as it was written. */
export function copied(state: State): Updated {
  const text = sourceAt(state);
  return text === undefined || text === ""
    ? [showMessage(state, "nothing to copy here"), []]
    : [state, [{ do: "copy", text }]];
}

/** Copy the last block of code in the item. */
export function codeCopied(state: State): Updated {
  const code = lastCodeBlock(sourceAt(state) ?? "");
  return code === undefined
    ? [showMessage(state, "no code block in this item"), []]
    : [state, [{ do: "copy", text: code }]];
}

/** The item in the pager of the user. */
export function paged(state: State): Updated {
  const text = sourceAt(state);
  if (text === undefined || text === "") return [showMessage(state, "nothing to show here"), []];
  return [state, [{ do: "hand", argv: ["sh", "-c", '[ -n "$PAGER" ] && exec $PAGER; exec less'], stdin: `${text}\n` }]];
}

const turnsFrom = ({ items }: ChatState, item: ChatItem): number => {
  const from = items.indexOf(item);
  const begin = items.slice(0, from + 1).findLastIndex(({ kind }) => kind === "user");
  return items.slice(Math.max(0, begin)).filter(({ kind }) => kind === "user").length;
};

const CHOICES: readonly ConfirmChoice[] = [
  { name: "keep", label: "keep everything", key: "k" },
  { name: "chat", label: "undo the conversation", key: "u" },
  { name: "both", label: "undo conversation and files", key: "b" },
];

/** Ask whether everything from this exchange on is taken back. */
export function undoAsked(state: State): Updated {
  const { item } = itemAt(state);
  if (item === undefined || state.chat.newer !== "no") return [showMessage(state, "select the exchange to undo"), []];
  const turns = turnsFrom(state.chat, item);
  if (turns === 0) return [showMessage(state, "nothing to undo"), []];
  const what = turns === 1 ? "the last exchange" : `the last ${turns} exchanges`;
  const lines = [`${what[0]?.toUpperCase()}${what.slice(1)} will be undone. /redo restores the messages.`];
  const overlay = {
    kind: "confirm",
    asker: "chat.undo",
    title: `undo ${what}`,
    lines,
    choices: CHOICES,
    at: 0,
    subject: { turns: String(turns) },
  } as const;
  return [{ ...state, overlay }, []];
}

/** Take the exchanges back as the user chose. */
export function undone(state: State, choice: string, turns: string): Updated {
  if (choice !== "chat" && choice !== "both") return [state, []];
  const params = { session_id: state.session.id ?? "", turns: Number(turns), what: choice };
  return [state, [{ do: "call", method: "session.undo", params, to: "chat.undo" }]];
}

/** A new conversation that begins with everything up to this item. */
export function forked(state: State): Updated {
  const { item } = itemAt(state);
  const id = item?.kind === "user" || item?.kind === "answer" ? item.id : 0;
  const params = { session_id: state.session.id ?? "", ...(id > 0 ? { message_id: id } : {}) };
  return state.session.id === undefined
    ? [state, []]
    : [showMessage(state, "forking…"), [{ do: "call", method: "session.fork", params, to: "chat.fork" }]];
}

/** The last exchange once more. */
export function retried(state: State): Updated {
  if (state.session.id === undefined || state.session.turnSince !== undefined)
    return [showMessage(state, "a turn is running; ^C interrupts it"), []];
  return [
    showMessage(state, "retrying…"),
    [{ do: "call", method: "session.retry", params: { session_id: state.session.id }, to: "chat.retry" }],
  ];
}

/** Read the conversation again; what is older, where that had failed. */
export function readAgain(state: State): Updated {
  const { chat, session } = state;
  if (session.id === undefined) return [state, [{ do: "reload" }]];
  if (chat.older !== "failed" && chat.newer !== "failed") return [state, [{ do: "open", session: session.id }]];
  const next: State = {
    ...state,
    chat: {
      ...chat,
      older: chat.older === "failed" ? "loading" : chat.older,
      newer: chat.newer === "failed" ? "loading" : chat.newer,
    },
  };
  return [next, wanted(state, next)];
}

/** An earlier message stands in the composer again, to be sent. */
export function taken(state: State): Updated {
  const { item } = itemAt(state);
  if (item?.kind !== "user") return [showMessage(state, "select one of your messages"), []];
  if (state.composer.editor.text.trim() !== "") return [showMessage(state, "the composer is not empty"), []];
  const composer = { ...state.composer, editor: replaceAll(state.composer.editor, item.text) };
  return [focusOn({ ...state, composer }, "composer"), []];
}

/** The conversation that was shown before this one, or after it. */
export const beside =
  (by: 1 | -1) =>
  (state: State): Updated => {
    const { ids, at } = state.chat.shown;
    const id = ids[at + by];
    if (id === undefined) return [showMessage(state, by < 0 ? "no earlier session" : "no later session"), []];
    return [{ ...state, chat: { ...state.chat, shown: { ids, at: at + by } } }, [{ do: "open", session: id }]];
  };
