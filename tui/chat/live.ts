import { grow, OPENING } from "../draw/markdown.js";
import { sanitize } from "../draw/sanitize.js";
import type { Live } from "./state.js";

const MOST_HELD = 256; // a sequence that is longer than this is none

/** Nothing of it has come yet. */
export const liveText = (key: string, since: number, blockLines?: number): Live => ({
  key,
  source: "",
  held: "",
  since,
  outline: blockLines === undefined ? OPENING : { ...OPENING, most: blockLines },
});

/** The text with a piece more. A piece may end in the middle of a control sequence or a character; that end waits for the next one. */
export function grown(live: Live, piece: string): Live {
  const raw = live.held + piece;
  const end = whole(raw);
  const clean = sanitize(raw.slice(0, end));
  return { ...live, held: raw.slice(end), source: live.source + clean, outline: grow(live.outline, clean) };
}

/** The text with everything that came: it is complete. */
export function finished(live: Live): Live {
  if (live.held === "") return live;
  const clean = sanitize(live.held);
  return { ...live, held: "", source: live.source + clean, outline: grow(live.outline, clean) };
}

/** Where the end of a piece begins that may be half of something. */
function whole(raw: string): number {
  const last = raw.charCodeAt(raw.length - 1);
  if (last === 13 || last >> 10 === 0x36) return raw.length - 1; // a carriage return before its newline, half a character
  const begin = Math.max(
    raw.lastIndexOf("\x1b"),
    raw.lastIndexOf("\x9b"),
    raw.lastIndexOf("\x9d"),
    raw.lastIndexOf("\x90"),
  );
  if (begin < 0 || raw.length - begin > MOST_HELD) return raw.length;
  return COMPLETE.test(raw.slice(begin)) ? raw.length : begin;
}

const COMPLETE =
  /^(?:\x1b\[[0-?]*[ -/]*[@-~]|\x9b[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x9d\x90])[^\x07\x1b\x9c]*[\x07\x9c]|\x1b[^[\]PX^_]|\x1b\\)/;
