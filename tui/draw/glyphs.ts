import type { State } from "../model/state.js";

/**
 * The signs of the screen, each one cell wide. Views write these (or the same characters within a text) and never ask for ASCII: where
 * `display.ascii` holds, the screen itself puts the counterpart of `ascii.ts` into the cell. A sign that is new needs its row there.
 */
export const GLYPH = {
  ok: "✓",
  failed: "✗",
  denied: "⊘",
  cancelled: "–",
  pending: "·",
  asks: "?",
  live: "●",
  warn: "⚠",
  todo: "☐",
  doing: "◐",
  done: "☑",
  archived: "⌂",
  more: "…",
  before: "«",
  after: "»",
  prompt: "›",
  up: "↑",
  down: "↓",
  left: "←",
  right: "→",
  folded: "▸",
  unfolded: "▾",
  rule: "─",
  bar: "│",
  edge: "▏",
  hidden: "•",
  comments: "✎",
} as const;

const SPINNER = ["◐", "◓", "◑", "◒"] as const;
/** Milliseconds of a frame of the spinner: 8 a second. */
export const SPIN_MS = 125;

const SIGNS = { unicode: SPINNER, ascii: ["|", "/", "-", "\\"], none: [" "] } as const;

/** The sign of something that runs, one cell wide; it stands still without animation. */
export function spinner({ now, display }: Pick<State, "now" | "display">): string {
  const signs: readonly string[] = SIGNS[display.indicator];
  return (display.animation ? signs[Math.floor(now / SPIN_MS) % signs.length] : undefined) ?? signs[0] ?? " ";
}

/** The frame of a box: corners from the top left clockwise, then the lines. */
export interface Frame {
  readonly topLeft: string;
  readonly topRight: string;
  readonly bottomRight: string;
  readonly bottomLeft: string;
  readonly horizontal: string;
  readonly vertical: string;
  /** Where a line goes across. */
  readonly teeLeft: string;
  readonly teeRight: string;
}

export const FRAMES: Readonly<Record<"thin" | "bold", Frame>> = {
  thin: {
    topLeft: "┌",
    topRight: "┐",
    bottomRight: "┘",
    bottomLeft: "└",
    horizontal: "─",
    vertical: "│",
    teeLeft: "├",
    teeRight: "┤",
  },
  /** Of what has the focus, so that it is seen without colour. */
  bold: {
    topLeft: "╔",
    topRight: "╗",
    bottomRight: "╝",
    bottomLeft: "╚",
    horizontal: "═",
    vertical: "║",
    teeLeft: "╟",
    teeRight: "╢",
  },
};

/** Column at the right border that shows which part of the whole is seen. */
export const SCROLLBAR = { track: "│", thumb: "┃" } as const;
