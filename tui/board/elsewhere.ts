import type { SafeText } from "../draw/sanitize.js";
import type { State, Updated } from "../model/state.js";
import type { Subject } from "../overlays/confirm/state.js";
import { lookAt } from "./drawer.js";
import type { BoardState } from "./state.js";

/** A task in view was changed elsewhere: the drawer reads it again, and a dialog about it says so. */
export function changedElsewhere(state: State, before: BoardState, by: ReadonlyMap<string, SafeText>): Updated {
  const { drawer } = state.board;
  const told = toldInDialog(state, before, by);
  return drawer !== undefined && by.has(drawer.id) ? lookAt(told, drawer.id) : [told, []];
}

/** Who changed the task since the dialog was opened, for `filled` and `picked` to ask before they overwrite. */
export const changedBy = (subject: Subject): string | undefined => subject["changed"];

function toldInDialog(state: State, before: BoardState, by: ReadonlyMap<string, SafeText>): State {
  const { overlay } = state;
  if (overlay === undefined || !("asker" in overlay) || !overlay.asker.startsWith("board.")) return state;
  const id = overlay.subject["id"];
  const who = id === undefined ? undefined : by.get(id);
  const version = id === undefined ? undefined : state.board.cards.get(id)?.version;
  if (id === undefined || who === undefined || version === undefined || String(version) === overlay.subject["version"])
    return state;
  if (before.moving.has(id)) return state; // that was this screen's own doing
  const note = `changed by ${who}`;
  const subject = { ...overlay.subject, changed: who };
  if (overlay.kind === "pick")
    return { ...state, overlay: { ...overlay, title: `${plain(overlay.title)} · ${note}`, subject } };
  const lines = [...overlay.lines.filter((line) => !line.startsWith("changed by ")), note];
  return { ...state, overlay: { ...overlay, lines, subject } };
}

const plain = (title: string): string => title.replace(/ · changed by .*$/, "");
