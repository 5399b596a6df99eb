import type { Effect } from "../../model/messages.js";
import { type State, showMessage, type Updated } from "../../model/state.js";
import { expandChips } from "../chip.js";
import { EMPTY } from "../editor.js";
import { chipped } from "../mentions.js";
import { NO_DRAFT, type QueueState, type Unsent, type Waiting } from "../state.js";
import { edited } from "../update.js";
import { marked } from "./queue.js";

/** A row of the panel: what waits in the conversation first, then what the owner does not have yet. */
export type Item =
  | { readonly kind: "waiting"; readonly item: Waiting }
  | { readonly kind: "local"; readonly item: Unsent };

export const itemsOf = ({ waiting, local }: QueueState): readonly Item[] => [
  ...waiting.map((item) => ({ kind: "waiting", item }) as const),
  ...local.map((item) => ({ kind: "local", item }) as const),
];

const UNDO_MS = 10_000; // workspace part, 4.4

const chosen = ({ queue }: State): Item | undefined => itemsOf(queue)[queue.at];

export function focusQueue(state: State): Updated {
  const { queue } = state;
  if (queue.focused) return [leftQueue(state), []];
  if (itemsOf(queue).length === 0 && queue.removed === undefined) return [showMessage(state, "the queue is empty"), []];
  return [{ ...state, focus: "composer", queue: { ...queue, focused: true, at: 0 } }, []];
}

/** A press on an item: the panel has the keys, and it is marked. */
export const pressedItem = (state: State, at: number): State => ({
  ...state,
  focus: "composer",
  queue: marked({ ...state.queue, focused: true, at }),
});

export const leftQueue = (state: State): State => ({ ...state, queue: { ...state.queue, focused: false } });

export const stepQueue = (state: State, by: number): State => ({
  ...state,
  queue: marked({ ...state.queue, at: state.queue.at + by }),
});

/** A method about one item of the conversation; that it has begun meanwhile is said. */
const told = (state: State, method: string, params: Readonly<Record<string, unknown>>): Effect => ({
  do: "call",
  method,
  params: { session_id: state.session.id, ...params },
  to: "composer.queue",
});

/** Only what the owner has can be handed on; the rest is on its way to it. */
function withWaiting(state: State, act: (item: Waiting) => Updated): Updated {
  const one = chosen(state);
  if (one === undefined) return [state, []];
  return one.kind === "waiting" ? act(one.item) : [showMessage(state, "not sent yet: edit or remove it"), []];
}

export const steerItem = (state: State): Updated =>
  withWaiting(state, ({ id }) =>
    state.session.turnSince === undefined
      ? [showMessage(state, "no turn is running: n sends it"), []]
      : [state, [told(state, "queue.steer", { item: id })]],
  );

export const sendItem = (state: State): Updated =>
  withWaiting(state, ({ id }) => [state, [told(state, "queue.send_now", { item: id })]]);

/** Before the one above, or behind the one below. */
export function moveItem(state: State, by: -1 | 1): Updated {
  return withWaiting(state, ({ id }) => {
    const { waiting, at } = state.queue;
    if (waiting[at + by] === undefined) return [state, []];
    const before = by < 0 ? waiting[at - 1]?.id : waiting[at + 2]?.id;
    const others = waiting.filter((one) => one.id !== id);
    const place = at + by;
    const item = waiting.filter((one) => one.id === id);
    const next = { ...state.queue, at: place, waiting: [...others.slice(0, place), ...item, ...others.slice(place)] };
    return [{ ...state, queue: next }, [told(state, "queue.move", { item: id, before: before ?? null })]];
  });
}

/** Taken out; for a while it can be had back. */
export function removeItem(state: State): Updated {
  const { queue } = state;
  const one = chosen(state);
  if (one === undefined) return [state, []];
  if (one.kind === "local" && queue.sending && queue.local[0] === one.item)
    return [showMessage(state, "already being sent"), []];
  const behind = queue.waiting[queue.at + 1]?.id;
  const kind = one.kind === "waiting" ? one.item.kind : "message";
  const removed = {
    text: one.item.text,
    kind,
    before: behind,
    local: one.kind === "local",
    until: state.now + UNDO_MS,
  };
  const waiting = queue.waiting.filter((item) => item !== one.item);
  const local = queue.local.filter((item) => item !== one.item);
  const next = {
    ...state,
    queue: {
      ...queue,
      waiting,
      local,
      removed,
      at: Math.max(0, Math.min(queue.at, waiting.length + local.length - 1)),
    },
  };
  const effects = one.kind === "waiting" ? [told(state, "queue.remove", { item: one.item.id })] : [];
  return [showMessage(next, "removed; U restores it", false, UNDO_MS), effects];
}

export function restoreItem(state: State): Updated {
  const { removed } = state.queue;
  if (removed === undefined || removed.until < state.now)
    return [showMessage(state, "nothing removed in the last 10 seconds"), []];
  const next: State = { ...state, queue: { ...state.queue, removed: undefined } };
  if (!removed.local)
    return [
      next,
      [told(state, "queue.add", { text: removed.text, kind: removed.kind, before: removed.before ?? null })],
    ];
  const one: Unsent = { id: next.queue.sent + 1, text: removed.text, mode: undefined, session: state.session.id };
  return [{ ...next, queue: { ...next.queue, sent: one.id, local: [...next.queue.local, one] } }, []];
}

/** Its text comes into the composer; what stood there waits until it is put back. */
export function editItem(state: State): Updated {
  const one = chosen(state);
  if (one === undefined) return [state, []];
  if (one.kind === "local" && state.queue.sending && state.queue.local[0] === one.item)
    return [showMessage(state, "already being sent"), []];
  const { composer } = state;
  const kept = composer.editing?.kept ?? { editor: composer.editor, chips: composer.chips };
  const editing = { id: String(one.item.id), local: one.kind === "local", kept };
  const { text, ...own } = chipped(one.item.text, composer.made);
  const next = { ...leftQueue(state), composer: { ...composer, ...own, editing } };
  return [edited(next, { ...EMPTY, kill: composer.editor.kill, text, cursor: text.length }), []];
}

/** Enter: the text goes back to its place in the queue, and what stood in the composer comes back. */
export function putBack(state: State): Updated {
  const { editing, editor, chips } = state.composer;
  const text = expandChips(editor.text, chips);
  if (editing === undefined) return [state, []];
  if (text.trim() === "") return [showMessage(state, "empty: Esc keeps the original, x in the queue removes it"), []];
  const next = withoutEditing(state);
  if (!editing.local) return [next, [told(state, "queue.edit", { item: editing.id, text })]];
  const local = next.queue.local.map((one) => (String(one.id) === editing.id ? { ...one, text } : one));
  return [{ ...next, queue: { ...next.queue, local } }, []];
}

/** The item stays as it was. */
export function withoutEditing(state: State): State {
  const { composer } = state;
  const kept = composer.editing?.kept ?? NO_DRAFT;
  return edited({ ...state, composer: { ...composer, chips: kept.chips, editing: undefined } }, kept.editor);
}
