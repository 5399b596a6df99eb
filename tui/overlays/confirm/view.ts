import { THEME } from "../../draw/theme.js";
import { truncateToWidth } from "../../draw/width.js";
import type { OverlayKind } from "../overlay.js";
import { pressed, scrolled, typedIn } from "./keys.js";
import { toMessageParts } from "./parts.js";
import type { ConfirmOverlay } from "./state.js";

/** The object and the effect in full, below them the choices; the marked one is inverse. */
export const CONFIRM_KIND: OverlayKind<ConfirmOverlay> = {
  context: "confirm",
  draw: (_state, overlay, room) => {
    const { width, lines, height, space, choices, at } = toMessageParts(overlay, room);
    const top = Math.min(overlay.top ?? 0, Math.max(0, lines.length - height));
    const shown = lines.slice(top, top + height);
    const more = lines.length - height - top;
    if (more > 0 && height > 1)
      shown[height - 1] = [[THEME.dim, truncateToWidth(` … ${more + 1} more lines, PgDn scrolls`, width)]];
    const before = shown.length + space;
    return {
      title: overlay.title,
      width,
      rows: [...shown, ...(space === 1 ? [[]] : []), ...choices],
      foot: "Enter confirms · Esc cancels",
      spots: at.map(({ y, from, to }, index) => ({ y: before + y, from, to, act: pressed(index) })),
    };
  },
  typed: typedIn,
  wheel: (state, _overlay, by) => scrolled(by)(state),
};
