import type { RowOf } from "../../draw/canvas.js";
import type { OverlayKind, Spot } from "../overlay.js";
import { TABS, usageRows, widthIn } from "./rows.js";
import type { UsageOverlay } from "./state.js";
import { tabPressed } from "./update.js";

/** Bars of what fills the window, below them the table; or what was spent. */
export const USAGE_KIND: OverlayKind<UsageOverlay> = {
  context: "usage",
  draw: (_state, overlay, room) => {
    const width = widthIn(room);
    const rows = usageRows(overlay, room);
    const top = Math.min(overlay.top, Math.max(0, rows.length - room.height));
    const shown = Array.from(
      { length: Math.min(room.height, Math.max(rows.length, 12)) },
      (_, at): RowOf => rows[top + at] ?? [],
    );
    return {
      title: overlay.tab === "context" ? "Context" : "Cost",
      width,
      rows: shown,
      foot: width < 60 ? "Tab other · Esc closes" : "Tab context or cost · s session · t today · w week · a all · Esc",
      spots: top === 0 ? TAB_SPOTS : [],
      ...(rows.length > room.height ? { scroll: { top, shown: room.height, total: rows.length } } : {}),
    };
  },
};

const TAB_SPOTS: readonly Spot[] = (["context", "cost"] as const).map((tab) => ({
  y: 0,
  ...TABS[tab],
  act: tabPressed(tab),
}));
