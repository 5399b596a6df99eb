import { number, text } from "../model/data.js";
import type { CallResult } from "../model/messages.js";
import type { State, Updated } from "../model/state.js";
import type { Confirmed } from "../overlays/confirm/state.js";
import type { Filled } from "../overlays/form/state.js";
import type { Picked } from "../overlays/pick/state.js";
import { ARCHIVE } from "./dialogs/archive.js";
import { ASSIGN, ASSIGN_RUNNING, PROFILES } from "./dialogs/assign.js";
import { BOARDS } from "./dialogs/boards.js";
import { BULK, BULK_STOP, REFUSED } from "./dialogs/bulk.js";
import type { Dialog } from "./dialogs/dialog.js";
import { COMMENT, EDIT, PRIORITY } from "./dialogs/edit.js";
import { LINK, LINKS } from "./dialogs/links.js";
import { BLOCK, COMPLETE, MOVE, MOVE_ALL, MOVE_ANYWAY, STEP, STOP } from "./dialogs/move.js";
import { NEW } from "./dialogs/new.js";
import { PLAN } from "./dialogs/plan.js";
import { SCHEDULE, UNBLOCK } from "./dialogs/schedule.js";
import { CONFLICT, OVERWRITE, WRITE } from "./dialogs/write.js";
import { shownTask } from "./drawer.js";
import { withCards } from "./feed-reducer.js";
import { moved } from "./moving.js";
import { WANT } from "./show.js";
import { isData } from "./wire.js";

/** Who gets what comes back, by the name under which it was asked. */
const DIALOGS: ReadonlyMap<string, Dialog> = new Map(
  Object.entries<Dialog>({
    "board.new": NEW,
    "board.move": MOVE,
    "board.moveAll": MOVE_ALL,
    "board.moveAnyway": MOVE_ANYWAY,
    "board.step": STEP,
    "board.stop": STOP,
    "board.moved": { called: moved },
    "board.complete": COMPLETE,
    "board.block": BLOCK,
    "board.unblock": UNBLOCK,
    "board.schedule": SCHEDULE,
    "board.archive": ARCHIVE,
    "board.assign": ASSIGN,
    "board.assignRunning": ASSIGN_RUNNING,
    "board.profiles": PROFILES,
    "board.edit": EDIT,
    "board.comment": COMMENT,
    "board.priority": PRIORITY,
    "board.write": WRITE,
    "board.overwrite": OVERWRITE,
    "board.conflict": CONFLICT,
    "board.bulk": BULK,
    "board.bulkStop": BULK_STOP,
    "board.refused": REFUSED,
    "board.plan": PLAN,
    "board.links": LINKS,
    "board.link": LINK,
    "board.boards": BOARDS,
    "board.want": WANT,
    "board.show": { called: shownTask },
  }),
);

/** What a dialog of the board, or the owner, answered; undefined: it is for another part. */
export function applyAnswer(state: State, message: CallResult | Confirmed | Picked | Filled): Updated | undefined {
  if (message.type === "called") {
    const [name = "", ...rest] = message.to.split(":");
    return DIALOGS.get(name)?.called?.(
      name === "board.moved" ? state : ownVersion(state, message),
      message,
      rest.join(":"),
    );
  }
  const dialog = DIALOGS.get(message.asker);
  if (message.type === "confirmed") return dialog?.confirmed?.(state, message.choice, message.subject);
  if (message.type === "picked") return dialog?.picked?.(state, message.value, message.subject);
  return dialog?.filled?.(state, message.values, message.subject);
}

/** A task that this screen has changed itself has its new version at once, so that its event is not taken for another one's. */
function ownVersion(state: State, answer: CallResult): State {
  const task = answer.ok && isData(answer.result) ? answer.result["task"] : undefined;
  if (!isData(task)) return state;
  const card = state.board.cards.get(text(task, "id"));
  const version = number(task, "version");
  if (card === undefined || version <= card.version || state.board.moving.has(card.id)) return state;
  return { ...state, board: withCards(state.board, [{ ...card, version }]) };
}
