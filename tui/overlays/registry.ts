import type { State, Updated } from "../model/state.js";
import { CHECKPOINTS_KIND } from "./checkpoints/view.js";
import { CONFIRM_KIND } from "./confirm/view.js";
import { FORM_KIND } from "./form/view.js";
import { HELP_KIND } from "./help/view.js";
import { MODELS_KIND } from "./models/view.js";
import type { Drawn, OverlayKind, Room } from "./overlay.js";
import { PALETTE_KIND } from "./palette/view.js";
import { PERMISSIONS_KIND } from "./permissions/view.js";
import { PICK_KIND } from "./pick/view.js";
import { READ_KIND } from "./read/view.js";
import { SESSIONS_KIND } from "./sessions/view.js";
import type { Overlay } from "./state.js";
import { THEMES_KIND } from "./themes/themes.js";
import { USAGE_KIND } from "./usage/view.js";

/** An overlay as one piece with how it is drawn and typed into. */
export interface BoundOverlay {
  readonly context: OverlayKind<Overlay>["context"];
  draw(room: Room): Drawn;
  typed(text: string, pasted: boolean): Updated;
  /** Undefined: its keys move it. */
  wheel(by: number): Updated | undefined;
}

const bind = <T extends Overlay>(state: State, kind: OverlayKind<T>, overlay: T): BoundOverlay => ({
  context: kind.context,
  draw: (room) => kind.draw(state, overlay, room),
  typed: (text, pasted) => kind.typed?.(state, overlay, text, pasted) ?? [state, []],
  wheel: (by) => kind.wheel?.(state, overlay, by),
});

/** What stands above the panes now. */
export function openedOverlay(state: State): BoundOverlay | undefined {
  const { overlay } = state;
  switch (overlay?.kind) {
    case undefined:
      return undefined;
    case "help":
      return bind(state, HELP_KIND, overlay);
    case "palette":
      return bind(state, PALETTE_KIND, overlay);
    case "sessions":
      return bind(state, SESSIONS_KIND, overlay);
    case "models":
      return bind(state, MODELS_KIND, overlay);
    case "permissions":
      return bind(state, PERMISSIONS_KIND, overlay);
    case "checkpoints":
      return bind(state, CHECKPOINTS_KIND, overlay);
    case "usage":
      return bind(state, USAGE_KIND, overlay);
    case "themes":
      return bind(state, THEMES_KIND, overlay);
    case "form":
      return bind(state, FORM_KIND, overlay);
    case "pick":
      return bind(state, PICK_KIND, overlay);
    case "read":
      return bind(state, READ_KIND, overlay);
    case "confirm":
      return bind(state, CONFIRM_KIND, overlay);
  }
}
