import { THEME_TOKENS } from "../../lib/contracts/ui/theme-tokens.js";
import { restyle } from "./links.js";

/**
 * A style is one number, as the cells of the screen hold it: attributes << 18 | foreground << 9 | background. Foreground and background are
 * slots of a palette, not colours: what a slot looks like is the theme's business, so views never change with it. Above them is the number of a
 * link (`links.ts`).
 */
export const DEFAULT_SLOT = 0x1ff;

/** Bits of the attributes, in the order of the cell buffer. */
export const ATTRIBUTES = { bold: 1, underline: 2, italic: 4, inverse: 8 } as const;

/** Slots 0 to 15 are the terminal's own colours, for output of programs. The theme's follow. */
const FIRST_SLOT = 16;
const NAMES = [...THEME_TOKENS, "diff_add_word", "diff_del_word", "code_name", "band"] as const;
export type Slot = (typeof NAMES)[number];

export const SLOTS: readonly Slot[] = NAMES;

/** Number of a slot in a style. Text is what cells hold from the beginning. */
const slotNumber = (slot: Slot): number => (slot === "text" ? DEFAULT_SLOT : FIRST_SLOT + NAMES.indexOf(slot));

/** The slot with this number; undefined: one of the terminal's colours. */
export const slotNamed = (number: number): Slot | undefined =>
  number === DEFAULT_SLOT ? "text" : NAMES[number - FIRST_SLOT];

const { bold: BOLD, underline: UNDERLINE, italic: ITALIC } = ATTRIBUTES;

const style = (slot: Slot, attributes = 0, bg = DEFAULT_SLOT): number =>
  (attributes << 18) | (slotNumber(slot) << 9) | bg;
/** Foreground and background of one slot. */
const block = (slot: Slot, attributes = 0): number => style(slot, attributes, slotNumber(slot));

/** The styles of views. A view writes nothing else; `bold`, `underlined` and `onto` vary one. */
export const THEME = {
  text: style("text"),
  bold: style("text", BOLD),
  /** Secondary: time stamps, hints, what is folded. */
  dim: style("dim"),
  /** The one colour that draws the eye. */
  accent: style("accent", BOLD),
  border: style("border"),
  /** Everything behind an overlay. */
  behind: style("border"),
  focus: style("focus", BOLD),
  user: style("user", BOLD),
  agent: style("agent", BOLD),
  thinking: style("thinking"),
  tool: style("tool"),
  ok: style("ok"),
  warn: style("warn"),
  error: style("error"),
  diffAdd: style("diff_add"),
  diffDel: style("diff_del"),
  /** Words that differ within a line of a diff. */
  diffAddWord: block("diff_add_word", BOLD),
  diffDelWord: block("diff_del_word", BOLD),
  /** Code without a colour of its own. */
  code: style("code_string"),
  codeKeyword: style("code_keyword"),
  codeString: style("code_string"),
  codeNumber: style("code_number"),
  codeComment: style("code_comment"),
  /** Names of what is called, keys and options. */
  codeName: style("code_name"),
  /** Types, constants, variables of a shell, and what is computed within a string. */
  codeType: style("code_number"),
  codeOperator: style("dim"),
  /** The row that is chosen, and text that is selected. */
  selection: block("selection"),
  /** Short marks that must not be overlooked: `YOLO`, an open question. */
  badge: block("badge", BOLD),
  status: style("status"),
  /** What a person said: a ground of its own over the whole width. */
  band: block("band"),
  heading: style("accent", BOLD),
  /** The line at the left of code. */
  codeEdge: style("code_comment"),
  link: style("accent", UNDERLINE),
} as const;

/** The same colours in bold. */
export const bold = (packed: number): number => restyle(packed, (plain) => plain | (BOLD << 18));
export const italic = (packed: number): number => restyle(packed, (plain) => plain | (ITALIC << 18));
export const underlined = (packed: number): number => restyle(packed, (plain) => plain | (UNDERLINE << 18));
/** The colour of `packed` on the background of `ground`: a coloured glyph within a selected row. */
export const onto = (packed: number, ground: number): number =>
  restyle(packed, (plain) => (plain & ~0x1ff) | (ground & 0x1ff));
/** A style on the band: text without a colour of its own takes the band's, so that it stands out on terminals of every background. */
export const onBand = (packed: number): number =>
  restyle(packed, (plain) =>
    ((plain >> 9) & DEFAULT_SLOT) === DEFAULT_SLOT ? (plain & (-1 << 18)) | THEME.band : onto(plain, THEME.band),
  );
/** One of the terminal's sixteen colours, for output of programs; undefined: the text's own. */
export const ansi = (fg: number | undefined, bg?: number, attributes = 0): number =>
  (attributes << 18) | ((fg ?? slotNumber("text")) << 9) | (bg ?? DEFAULT_SLOT);
