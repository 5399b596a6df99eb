import type { PaletteItems } from "../../../lib/contracts/ui/palette.js";
import type { CallResult } from "../../model/messages.js";
import { type Reducer, type State, showMessage, type Updated } from "../../model/state.js";
import { type CommandRow, commandEntries, modelEntries, ownerEntries } from "./entries.js";
import type { Entry } from "./state.js";
import { COMMANDS, found, ITEMS, MODELS } from "./update.js";
import { DONE, FORKED } from "./verbs.js";

/** What the owner tells for the palette comes in while it is open. */
export const paletteReducer: Reducer = (state, message) =>
  message.type === "called" ? called(state, message) : undefined;

function called(state: State, message: CallResult): Updated | undefined {
  if (message.to === DONE || message.to === FORKED) return done(state, message);
  const { overlay } = state;
  if (overlay?.kind !== "palette" || ![ITEMS, COMMANDS, MODELS].includes(message.to)) return undefined;
  const loading = message.to === ITEMS ? false : overlay.loading;
  if (!message.ok) return [showMessage({ ...state, overlay: { ...overlay, loading } }, message.message, true), []];
  const recent = message.to === ITEMS ? (message.result as PaletteItems).recent : overlay.recent; // the owner's answer to palette.items
  const entries = [...overlay.entries, ...entriesOf(message.to, message.result)];
  return [{ ...state, overlay: found({ ...overlay, entries, recent, loading }) }, []];
}

function entriesOf(to: string, result: unknown): readonly Entry[] {
  if (to === ITEMS) return ownerEntries(result as PaletteItems); // the owner's answer to palette.items
  if (to === COMMANDS) return commandEntries(result as readonly CommandRow[]); // its answer to command.list
  return modelEntries(result as readonly { provider: string; model: string }[]); // its answer to palette.models
}

/** What was done is said; a copy of a conversation is shown. */
function done(state: State, message: CallResult): Updated {
  if (!message.ok) return [showMessage(state, message.message, true), []];
  if (message.to === DONE) return [showMessage(state, "done"), []];
  const { id } = message.result as { id?: string }; // the owner's answer to session.fork
  return [showMessage(state, "a copy of the conversation"), [{ do: "open", session: id }]];
}
