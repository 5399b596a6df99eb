import { useEffect } from "preact/hooks";
import { findCardSpot, stepped } from "../../state/board/cursor.js";
import { NO_SELECTION, toggleCard } from "../../state/board/selection.js";
import { type Shortcut, shortcutOf } from "../../state/board/shortcuts.js";
import { columnsOf } from "../../state/board/view.js";
import { closeCard, openCard } from "../actions/open.js";
import type { BoardController } from "../desk.js";
import { openMenu } from "../menu/card-menu.js";

/** Works the board by keys, as long as no field and no dialog has them. */
export function useBoardKeys(desk: BoardController | undefined): void {
  useEffect(() => {
    if (desk === undefined) return;
    const listener = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || isTaken(event)) return;
      const shortcut = shortcutOf(event);
      if (shortcut !== undefined && act(desk, shortcut, event)) event.preventDefault();
    };
    document.addEventListener("keydown", listener);
    return () => document.removeEventListener("keydown", listener);
  }, [desk]);
}

/** Something else takes the key: a dialog, a field, or a control that Enter and the arrows belong to. */
function isTaken(event: KeyboardEvent): boolean {
  if (document.querySelector("dialog[open]") !== null) return true;
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  if (target.matches("input:not([type=checkbox]), textarea, select, [contenteditable]")) return true;
  if (target.closest("[data-keys='own']") !== null) return true;
  return event.key === "Enter" && target.matches("button, a, summary");
}

/** True: the key has done something. */
function act(desk: BoardController, shortcut: Shortcut, event: Pick<KeyboardEvent, "target">): boolean {
  const { cursor } = desk.view.get();
  switch (shortcut.does) {
    case "step":
      return step(desk, shortcut.step);
    case "open":
      if (cursor !== undefined) openCard(desk, cursor);
      return cursor !== undefined;
    case "create":
      desk.view.update((now) => ({ ...now, creating: creatingIn(desk) }));
      return true;
    case "search":
      document.querySelector<HTMLInputElement>("#board-search")?.focus();
      return true;
    case "select":
      if (cursor !== undefined) desk.view.update((now) => ({ ...now, selection: toggleCard(now.selection, cursor) }));
      return cursor !== undefined;
    case "all":
      return selectColumn(desk, event);
    case "menu":
      openMenu(desk, chosen(desk));
      return true;
    case "refresh":
      desk.board.reload().catch(desk.services.failed);
      return true;
    case "help":
      desk.view.update((now) => ({ ...now, help: true }));
      return true;
    case "leave":
      return leave(desk);
  }
}

/** Put the cursor on the first card that is shown, and the focus with it. */
export function toFirstCard(desk: BoardController): void {
  desk.view.update((now) => ({ ...now, cursor: undefined }));
  step(desk, "down");
}

function step(desk: BoardController, by: Extract<Shortcut, { does: "step" }>["step"]): boolean {
  const names = columnsOf(desk.view.get()).map(({ name }) => name);
  const cursor = stepped({ names, columns: desk.shown.get() }, desk.view.get().cursor, by);
  if (cursor === undefined) return false;
  desk.view.update((now) => ({ ...now, cursor, focus: now.focus + 1 }));
  return true;
}

/** The selected cards, or the one under the cursor. */
function chosen(desk: BoardController): readonly string[] {
  const { selection, cursor } = desk.view.get();
  if (selection.ids.size > 0) return [...selection.ids];
  return cursor === undefined ? [] : [cursor];
}

const MAKES = ["triage", "ready", "blocked", "scheduled"] as const;

/** A task is made where the cursor is, when one can be made there. */
function creatingIn(desk: BoardController): (typeof MAKES)[number] {
  const status = desk.board.state.get().cards.get(desk.view.get().cursor ?? "")?.status;
  return MAKES.find((name) => name === status) ?? "ready";
}

function selectColumn(desk: BoardController, { target }: Pick<KeyboardEvent, "target">): boolean {
  const inside = target instanceof Element && (target.closest(".columns") !== null || target === document.body);
  const names = columnsOf(desk.view.get()).map(({ name }) => name);
  const at = findCardSpot({ names, columns: desk.shown.get() }, desk.view.get().cursor);
  const name = at && names[at.column];
  if (!inside || name === undefined) return false;
  const ids = new Set([...desk.view.get().selection.ids, ...desk.shown.get()[name]]);
  desk.view.update((now) => ({ ...now, selection: { ids, anchor: now.cursor } }));
  return true;
}

function leave(desk: BoardController): boolean {
  const { selection, creating } = desk.view.get();
  if (creating !== undefined) desk.view.update((now) => ({ ...now, creating: undefined }));
  else if (selection.ids.size > 0) desk.view.update((now) => ({ ...now, selection: NO_SELECTION }));
  else if (desk.services.route.get().id !== undefined) closeCard(desk);
  else return false;
  return true;
}
