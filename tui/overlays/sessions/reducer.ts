import type { SessionRow } from "../../../lib/contracts/chat/session-overview.js";
import { sanitize, sanitizeLine } from "../../draw/sanitize.js";
import type { CallResult } from "../../model/messages.js";
import { type Reducer, type State, showMessage, type Updated } from "../../model/state.js";
import type { SessionsOverlay } from "./state.js";
import { ask, DONE, FOUND, goTo, HOLDING, PREVIEW, ROWS, showing } from "./update.js";

/** What the owner tells for the session manager. */
export const sessionsReducer: Reducer = (state, message) => {
  const { overlay } = state;
  if (message.type !== "called" || overlay?.kind !== "sessions") return undefined;
  if (message.to === ROWS) return rowsCame(state, overlay, message);
  if (message.to === FOUND) return foundCame(state, overlay, message);
  if (message.to === HOLDING) return holdingCame(state, overlay, message);
  if (message.to === DONE) return done(state, overlay, message);
  return message.to.startsWith(`${PREVIEW}:`) && message.ok ? previewCame(state, overlay, message) : undefined;
};

function rowsCame(state: State, overlay: SessionsOverlay, message: CallResult): Updated {
  if (!message.ok) return showing(state, { ...overlay, rows: { state: "failed", message: message.message } });
  const rows = (message.result as readonly SessionRow[]).map(cleaned); // the owner's answer to session.overview
  return goTo(state, { ...overlay, rows: { state: "ready", rows } }, overlay.at);
}

const cleaned = (row: SessionRow): SessionRow => ({
  ...row,
  title: sanitizeLine(row.title),
  preview: sanitizeLine(row.preview),
  cwd: sanitizeLine(row.cwd),
  model: sanitizeLine(row.model),
});

function foundCame(state: State, overlay: SessionsOverlay, message: CallResult): Updated {
  if (!message.ok) return [showMessage(state, message.message, true), []];
  const found = message.result as readonly { session_id: string; snippet: string }[]; // the owner's answer to session.search
  const hits = new Map<string, string>();
  for (const { session_id: id, snippet } of found) if (!hits.has(id)) hits.set(id, sanitizeLine(snippet));
  if (hits.size === 0) return goTo(showMessage(state, "no matches"), { ...overlay, hits, found: [] }, 0);
  const params = { archived: false, found: [...hits.keys()] };
  return showing(state, { ...overlay, hits, found: [] }, [
    { do: "call", method: "session.overview", params, to: HOLDING, reads: true },
  ]);
}

/** What was found may be in an earlier segment, another directory or the archive: the sessions that hold it now. */
function holdingCame(state: State, overlay: SessionsOverlay, message: CallResult): Updated {
  if (!message.ok) return [showMessage(state, message.message, true), []];
  const found = (message.result as readonly SessionRow[]).map(cleaned); // the owner's answer to session.overview
  const told = showMessage(state, `found in ${found.length} ${found.length === 1 ? "session" : "sessions"}`);
  return goTo(told, { ...overlay, found }, 0);
}

/** What was changed is read again; a refusal is said. */
function done(state: State, overlay: SessionsOverlay, message: CallResult): Updated {
  const told = message.ok ? state : showMessage(state, message.message, true);
  return [told, [ask(state, overlay)]];
}

interface Stored {
  readonly role?: string;
  readonly content?: string;
}

const WHO: Readonly<Record<string, string>> = { user: "you", assistant: "agent" };
const PREVIEW_CHARS = 4_000;

function previewCame(state: State, overlay: SessionsOverlay, { to, ...message }: CallResult): Updated {
  const stored = ("result" in message ? message.result : []) as readonly Stored[]; // the owner's answer to session.messages
  const lines = stored.flatMap(({ role = "", content = "" }) => {
    const who = WHO[role];
    return who === undefined || content.trim() === "" ? [] : [{ who, text: sanitize(content.slice(0, PREVIEW_CHARS)) }];
  });
  return showing(state, { ...overlay, preview: { id: to.slice(PREVIEW.length + 1), lines } });
}
