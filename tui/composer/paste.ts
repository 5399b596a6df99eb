import { type State, showMessage, type Updated } from "../model/state.js";
import { type Chip, chipSign, expandChips, isChip } from "./chip.js";
import { refreshed } from "./completion/ask.js";
import { insert, MAX_TEXT, replace, replaceAll } from "./editor.js";
import type { ComposerMessage } from "./messages.js";
import { cleaned, edited, TOO_LONG } from "./update.js";

// Sequences go as a whole: what is left of them without their first character would be litter.
const SEQUENCE = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)|\x9b[0-?]*[ -/]*[@-~]/g;

/** A paste is one step, and nothing is sent by it. A long one stands there as a chip; one that no message can hold is offered as a file. */
export function pasted(state: State, text: string): Updated {
  const clean = cleaned(text.replace(/\r\n?/g, "\n").replace(SEQUENCE, ""));
  if (clean === "") return [state, []];
  const { composer, display } = state;
  const lines = clean.replace(/\n$/, "").split("\n").length;
  const room = MAX_TEXT - expandChips(composer.editor.text, composer.chips).length;
  if (clean.length > MAX_TEXT) return offerFile(state, clean);
  if (clean.length > room) return [showMessage(state, TOO_LONG, true), []];
  if (lines <= display.pasteLines && clean.length <= display.pasteChars) {
    const next = refreshed(edited(state, insert(composer.editor, clean)));
    return looksLikePath(clean)
      ? [next[0], [...next[1], { do: "look", path: clean, session: state.session.id }]]
      : next;
  }
  const size = lines > 1 ? `${lines} lines` : `${clean.length} characters`;
  return refreshed(withChip(state, { label: `Pasted text ${composer.made + 1}: ${size}`, text: clean, expands: true }));
}

/** A chip at the cursor. */
function withChip(state: State, chip: Omit<Chip, "sign">): State {
  const { composer } = state;
  const made = composer.made + 1;
  const sign = chipSign(made);
  const next = { ...state, composer: { ...composer, made, chips: [...composer.chips, { ...chip, sign }] } };
  return edited(next, insert(composer.editor, sign));
}

/** The chip that the cursor stands on. */
export function chipAt({ composer }: State): Chip | undefined {
  const { text, cursor } = composer.editor;
  const sign = String.fromCodePoint(text.codePointAt(cursor) ?? 32);
  return isChip(sign) ? composer.chips.find((one) => one.sign === sign && one.expands) : undefined;
}

/** The chip at the cursor gives way to its text; the cursor stands before it. */
export function expandAt(state: State): Updated {
  const chip = chipAt(state);
  const { editor } = state.composer;
  if (chip === undefined) return [state, []];
  const next = replace(editor, editor.cursor, editor.cursor + chip.sign.length, chip.text);
  return next === editor ? [showMessage(state, TOO_LONG, true), []] : [edited(state, next), []];
}

/** All of them, and the command that asked for it is gone. */
export function expandAll(state: State): Updated {
  const { editor, chips } = state.composer;
  const text = expandChips(
    editor.text.replace(/\s*\/paste\s+expand\s*$/, ""),
    chips.filter((one) => one.expands),
  );
  if (!chips.some((one) => one.expands && editor.text.includes(one.sign)))
    return [showMessage(state, "no pasted chip here"), []];
  return [edited(state, replaceAll(editor, text)), []];
}

const MIB = 1 << 20;
const sizeOf = (text: string): string => `${(Buffer.byteLength(text) / MIB).toFixed(1)} MB`;

/** Kept until the user has said what is to happen to it. */
function offerFile(state: State, text: string): Updated {
  const size = sizeOf(text);
  const overlay = {
    kind: "confirm",
    asker: "composer.paste",
    title: `Large paste (${size})`,
    lines: [
      "Messages are limited to 1 MiB. Attach it as a file instead?",
      "The model then reads what it needs from it.",
    ],
    choices: [
      { name: "file", label: "attach", key: "f" },
      { name: "drop", label: "discard", key: "d" },
    ],
    at: 0,
    subject: {},
  } as const;
  return [{ ...state, overlay, composer: { ...state.composer, held: text } }, []];
}

/** The user's word about a paste that no message can hold. */
export function decided(state: State, choice: string): Updated {
  const { held } = state.composer;
  const next = { ...state, composer: { ...state.composer, held: undefined } };
  if (held === undefined || choice !== "file") return [next, []];
  return [showMessage(next, "saving the paste…"), [{ do: "keepPaste", text: held }]];
}

/** The file stands in the text as one sign, and is sent as a mention. */
export function kept(
  state: State,
  { path, bytes, name }: { readonly path: string; readonly bytes: number; readonly name: string },
): State {
  return withChip(state, { label: `File ${name}: ${sized(bytes)}`, text: mention(path), expands: false });
}

const sized = (bytes: number): string =>
  bytes < 10_000 ? `${bytes} bytes` : bytes < MIB ? `${Math.round(bytes / 1024)} kB` : `${(bytes / MIB).toFixed(1)} MB`;

type Picture = Extract<ComposerMessage, { type: "picture" }>;

/** A picture of the message stands in the text as one sign. The path that it came by gives way to it. */
export function pictured(state: State, { asked, name, bytes, mention: text }: Picture): State {
  const room = asked === undefined ? state : withoutPath(state, asked);
  return room === undefined ? state : withChip(room, { label: `Image ${name}: ${sized(bytes)}`, text, expands: false });
}

const mention = (path: string): string => (/\s/.test(path) ? `@file:"${path}"` : `@file:${path}`);

const MAX_PATH = 1_000;

/** One line that may be a file dropped on the terminal. */
function looksLikePath(text: string): boolean {
  const one = text.trim();
  return one.length > 1 && one.length <= MAX_PATH && !one.includes("\n") && /^(['"]?(\/|~\/)|file:\/\/)/.test(one);
}

/** A path that was pasted is a file that exists: where it still stands as it came, a chip takes its place. */
export function found(
  state: State,
  asked: string,
  file: { readonly path: string; readonly bytes: number; readonly name: string },
): State {
  const room = withoutPath(state, asked);
  return room === undefined ? state : kept(room, file);
}

function withoutPath(state: State, asked: string): State | undefined {
  const { editor } = state.composer;
  const at = editor.text.lastIndexOf(asked, editor.cursor);
  if (at < 0 || /\S/.test(editor.text.charAt(at - 1))) return undefined;
  return edited(state, replace(editor, at, at + asked.length, ""));
}

/** `/image PATH`, `/file PATH`, `/paste` and `/image` alone: what is named, or the picture of the clipboard, becomes a part of the message. */
export function attachCommand(text: string): ((state: State) => Updated) | undefined {
  const [, name, path] = /^\/(image|file|paste)(?:[ \t]+(\S.*))?$/.exec(text) ?? [];
  if (name === undefined || (name === "paste" && path !== undefined) || (name === "file" && path === undefined))
    return undefined;
  if (path === undefined) return (state) => grabbing(cleared(state));
  return (state) => {
    const session = state.session.id;
    const effect =
      name === "image"
        ? ({ do: "keepPicture", path, session, asked: undefined } as const)
        : ({ do: "look", path, session, typed: true } as const);
    return [cleared(state), [effect]];
  };
}

const cleared = (state: State): State => edited(state, replaceAll(state.composer.editor, ""));

/** The picture that the clipboard holds is asked for. */
export const grabbing = (state: State): Updated => [showMessage(state, "reading the clipboard…"), [{ do: "grab" }]];
