import type { Effect } from "../model/messages.js";
import type { State, Updated } from "../model/state.js";
import { keepFirstRow } from "./box.js";
import { expandChips } from "./chip.js";
import { EMPTY } from "./editor.js";
import { chipped } from "./mentions.js";
import { NO_DRAFT } from "./state.js";

const REST_MS = 700;
const MAX_DRAFTS = 50;
/** Enough to tell the texts of two workspaces apart. */
const BEFORE_CHARS = 200;

/** Nothing was said in it yet: who leaves it finds the draft in the next new conversation of this directory. */
const isNew = ({ chat }: State): boolean => chat.items.length === 0;

const keyOf = (state: State): string | undefined => (isNew(state) ? undefined : state.session.id);

/** What is typed is not what the owner has. */
function isUnsaved(state: State): boolean {
  const { composer, session, connection } = state;
  if (session.id === undefined || composer.editing !== undefined || connection === "lost") return false;
  const { saved, editor } = composer;
  if (keyOf(state) !== saved.session && saved.raw !== "") return true;
  return editor.text.length !== saved.raw.length || editor.text !== saved.raw;
}

/** Milliseconds until the text has rested long enough to be kept. */
export const savesIn = (state: State): readonly number[] =>
  isUnsaved(state) ? [Math.max(0, state.composer.changedAt + REST_MS - state.now)] : [];

/** The owner keeps what is typed, once nothing more comes for a moment: whatever ends this screen, the text is there again. */
export function kept(state: State): Updated | undefined {
  const { composer } = state;
  const { saved, editor, chips, changedAt } = composer;
  if (!isUnsaved(state) || state.now - changedAt < REST_MS) return undefined;
  const key = keyOf(state);
  const same = key === saved.session;
  const text = expandChips(editor.text, chips);
  const before = savedBefore(state);
  const old: Effect[] =
    !same && saved.raw !== "" ? [{ do: "keepDraft", session: saved.session, text: "", ...before }] : [];
  const fresh: Effect[] = same || text !== "" ? [{ do: "keepDraft", session: key, text, ...(same ? before : {}) }] : [];
  return [{ ...state, composer: { ...composer, saved: { session: key, raw: editor.text, text } } }, [...old, ...fresh]];
}

function savedBefore({ composer: { saved } }: State): { readonly before?: string } {
  return saved.raw === "" ? {} : { before: saved.text.slice(0, BEFORE_CHARS) };
}

/** Another conversation is shown from now on: its own text comes, and what was typed in the other one waits there. */
export function switched(state: State, to: string): Updated {
  const { composer } = state;
  const from = composer.session;
  if (from === to) return [state, []];
  const owned = { ...state, composer: { ...composer, session: to } };
  const read: Effect = { do: "readDraft", session: to, fresh: isNew(state) };
  if (from === undefined) return [owned, composer.editor.text === "" ? [read] : []];
  const { editor, chips } = composer.editing?.kept ?? composer;
  const known = composer.drafts[to];
  const others = Object.entries(composer.drafts).filter(([id]) => id !== to && id !== from);
  const drafts = Object.fromEntries([...others.slice(-MAX_DRAFTS), [from, { editor, chips }] as const]);
  const shown = known ?? { ...NO_DRAFT, editor: { ...EMPTY, kill: editor.kill } };
  const cleared = { top: 0, editing: undefined, historyAt: -1, aside: undefined, saved: NOTHING_SAVED, drafts };
  const next = { ...owned, composer: { ...owned.composer, ...shown, ...cleared } };
  const text = expandChips(editor.text, chips);
  const before = composer.saved.session === from ? savedBefore(state) : {};
  return [
    keepFirstRow(next),
    [{ do: "keepDraft", session: from, text, ...before }, ...(known === undefined ? [read] : [])],
  ];
}

/** The conversation goes on under another name: its text stays. */
export const renamed = (state: State): State => {
  const { composer, session } = state;
  const moved = composer.session !== undefined && session.id !== undefined && session.id !== composer.session;
  return moved ? { ...state, composer: { ...composer, session: session.id } } : state;
};

const NOTHING_SAVED = { session: undefined, raw: "", text: "" };

/** A draft as the owner has kept it. A user who has begun to type keeps what is there. */
export function drafted(state: State, session: string, text: string): State {
  const { composer } = state;
  if (state.session.id !== session || composer.editor.text !== "" || composer.editor.undo.length > 0 || text === "")
    return state;
  const { text: typed, ...own } = chipped(text, composer.made);
  const saved = { session: keyOf(state), raw: typed, text };
  return keepFirstRow({
    ...state,
    composer: { ...composer, ...own, editor: { ...EMPTY, text: typed, cursor: typed.length }, saved },
  });
}

/** Another connection, to another owner perhaps, holds no draft: this screen says that the stored one is its own, before a workspace that opens is given it. */
export function claimed(state: State): Updated {
  const { saved } = state.composer;
  if (saved.raw === "") return [state, []];
  return [state, [{ do: "keepDraft", session: saved.session, text: saved.text, ...savedBefore(state) }]];
}

/** What was sent is no longer a draft, at once. */
export function forgotten(state: State): Updated {
  const { saved } = state.composer;
  if (saved.raw === "") return [state, []];
  const next = { ...state, composer: { ...state.composer, saved: { ...saved, raw: "", text: "" } } };
  return [next, [{ do: "keepDraft", session: saved.session, text: "", ...savedBefore(state) }]];
}
