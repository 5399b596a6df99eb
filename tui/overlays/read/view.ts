import type { OverlayKind } from "../overlay.js";
import { scrolled } from "./keys.js";
import { readRows } from "./rows.js";
import type { ReadOverlay } from "./state.js";

export const READ_KIND: OverlayKind<ReadOverlay> = {
  context: "read",
  draw: (_state, overlay, { width, height }) => {
    const rows = readRows(overlay, width);
    const top = Math.min(overlay.top, Math.max(0, rows.length - height));
    const scroll = { top, shown: height, total: rows.length };
    return { title: overlay.title, rows: rows.slice(top, top + height), width, scroll, foot: "↑↓ scroll · Esc closes" };
  },
  wheel: (state, _overlay, by) => scrolled(by)(state),
};
