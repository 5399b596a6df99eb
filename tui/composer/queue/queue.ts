import { sanitize, sanitizeLine } from "../../draw/sanitize.js";
import type { Data } from "../../model/data.js";
import { type State, showMessage, type Updated } from "../../model/state.js";
import { EMPTY, replaceAll } from "../editor.js";
import { remembering } from "../history.js";
import { chipped } from "../mentions.js";
import type { QueueState, Unsent, Waiting } from "../state.js";
import { edited } from "../update.js";

const MAX_UNSENT = 32; // core part, 9.2

/** Enter in an empty composer lets a queue go on that is paused. */
export const sendsNext = ({ queue, session, connection }: State): boolean =>
  queue.paused && queue.waiting.length > 0 && session.turnSince === undefined && connection === "connected";

/** The queue of the conversation as its owner tells it. */
export function queued(state: State, data: Data): State {
  const rows: readonly unknown[] = Array.isArray(data["items"]) ? data["items"] : [];
  const waiting = rows.flatMap(toWaiting);
  const queue = marked({ ...state.queue, waiting, paused: data["paused"] === true });
  return orphaned({ ...state, queue });
}

function toWaiting(row: unknown): Waiting[] {
  if (typeof row !== "object" || row === null) return [];
  const { id, text: told, kind, by, source } = row as Data; // an object that is not null
  if (typeof id !== "string" || typeof told !== "string") return [];
  const who = typeof by === "string" && by !== "" && by !== "user" ? by : String(source ?? "");
  return [{ id, text: sanitize(told), kind: String(kind), by: sanitizeLine(who) }];
}

/** The mark stays within the list. The keys stay where they are also when the last item begins: nothing is typed by them. */
export const marked = (queue: QueueState): QueueState => ({
  ...queue,
  at: Math.max(0, Math.min(queue.at, queue.waiting.length + queue.local.length - 1)),
});

/** An item that is being edited and has begun meanwhile: its text stays, as a message of its own. */
function orphaned(state: State): State {
  const { composer, queue } = state;
  const { editing } = composer;
  const ids: readonly string[] = editing?.local
    ? queue.local.map(({ id }) => String(id))
    : queue.waiting.map(({ id }) => id);
  if (editing === undefined || ids.includes(editing.id)) return state;
  const next = { ...state, composer: { ...composer, editing: undefined } };
  return showMessage(next, "that message is already running; your text is a new one", true);
}

/** A message of this screen: it goes to its conversation as soon as the ones before it have. */
export function posted(state: State, text: string, mode: Unsent["mode"]): Updated {
  const { queue, session } = state;
  const one: Unsent = { id: queue.sent + 1, text, mode, session: session.id };
  return sendFirst({ ...state, queue: { ...queue, sent: one.id, local: [...queue.local, one] } });
}

export const isFull = ({ queue }: State): boolean => queue.local.length >= MAX_UNSENT;
export const FULL = `${MAX_UNSENT} messages are waiting to be sent; wait until one has been sent`;

/** Messages go one after the other: the next one when the owner has the first. */
export function sendFirst(state: State): Updated {
  const { queue, session, connection } = state;
  const first = queue.local[0];
  if (first === undefined || session.id === undefined || connection !== "connected" || queue.sending)
    return [state, []];
  const { id, text, mode } = first;
  const to = first.session ?? session.id;
  return [
    { ...state, queue: { ...queue, sending: true } },
    [{ do: "submit", id, text, session: to, ...(mode === undefined ? {} : { mode }) }],
  ];
}

/** The owner has it, or did not take it: then its text comes back. One that was lost on its way goes again. */
export function sent(
  state: State,
  { id, outcome }: { readonly id: number; readonly outcome: "taken" | "refused" | "lost" },
): Updated {
  const { queue } = state;
  const free = { ...state, queue: { ...queue, sending: false } };
  const one = queue.local.find((item) => item.id === id);
  if (outcome === "lost" || one === undefined) return [free, []];
  const next = orphaned({
    ...free,
    queue: marked({ ...free.queue, local: queue.local.filter((item) => item !== one) }),
  });
  return sendFirst(outcome === "taken" ? next : givenBack(next, one.text));
}

/** Into the composer where it is empty, else to where going up finds it. */
function givenBack(state: State, text: string): State {
  const { composer } = state;
  if (composer.editor.text === "") {
    const { text: typed, ...own } = chipped(text, composer.made);
    return edited({ ...state, composer: { ...composer, ...own } }, replaceAll(composer.editor, typed));
  }
  return remembering(state, { editor: { ...EMPTY, text }, chips: [] });
}
