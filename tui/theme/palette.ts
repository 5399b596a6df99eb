import { ATTRIBUTES, type Slot } from "../draw/theme.js";
import type { Colour } from "./colour.js";

/** How a slot looks: colours (absent: the terminal's default) and attributes that come on top of the style's. */
export interface Ink {
  readonly fg?: Colour;
  readonly bg?: Colour;
  readonly attributes?: number;
}

/** A theme: the look of every slot. `grounds`: backgrounds it is made for, the least friendly ones; its text stands out from each. */
export interface Palette {
  readonly grounds: readonly number[];
  readonly inks: Readonly<Record<Slot, Ink>>;
}

const ink = (rgb: number, basic: number): Ink => ({ fg: { rgb, basic } });
const on = (fg: readonly [number, number], bg: readonly [number, number]): Ink => ({
  fg: { rgb: fg[0], basic: fg[1] },
  bg: { rgb: bg[0], basic: bg[1] },
});

const DARK: Palette = {
  grounds: [0x000000, 0x24283b],
  inks: {
    text: {},
    dim: ink(0x9aa2b1, 7),
    accent: ink(0x6cb6ff, 12),
    border: ink(0x8b93a5, 8),
    focus: ink(0x6cb6ff, 12),
    user: ink(0x8ddb8c, 10),
    agent: ink(0x6cb6ff, 12),
    thinking: ink(0xa9a1c9, 13),
    tool: ink(0xb7c0cf, 7),
    ok: ink(0x8ddb8c, 10),
    warn: ink(0xf5b94d, 11),
    error: ink(0xff8a80, 9),
    diff_add: ink(0x8ddb8c, 10),
    diff_del: ink(0xff8a80, 9),
    diff_add_word: on([0xd8ffd8, 15], [0x1f5a2e, 2]),
    diff_del_word: on([0xffe1de, 15], [0x7a2a2a, 1]),
    band: on([0xe6e9ef, 15], [0x2b3142, 8]),
    code_keyword: ink(0xd2a8ff, 13),
    code_string: ink(0xe0c08a, 3),
    code_number: ink(0x7fd6d6, 14),
    code_name: ink(0x82c4ff, 12),
    code_comment: ink(0x9aa2b1, 7),
    selection: on([0xffffff, 15], [0x2f4f7f, 4]),
    badge: on([0x1a1a1a, 0], [0xf5b94d, 11]),
    status: ink(0xc3c9d4, 7),
  },
};

const LIGHT: Palette = {
  grounds: [0xffffff, 0xfdf6e3],
  inks: {
    text: {},
    dim: ink(0x5b6270, 8),
    accent: ink(0x0757b8, 4),
    border: ink(0x68707f, 8),
    focus: ink(0x0757b8, 4),
    user: ink(0x17692b, 2),
    agent: ink(0x0757b8, 4),
    thinking: ink(0x6b4fa0, 5),
    tool: ink(0x4a5262, 8),
    ok: ink(0x17692b, 2),
    warn: ink(0x8a5200, 5),
    error: ink(0xb3261e, 1),
    diff_add: ink(0x17692b, 2),
    diff_del: ink(0xb3261e, 1),
    diff_add_word: on([0x0b3d17, 0], [0xbfeac6, 10]),
    diff_del_word: on([0x6a120d, 0], [0xffd0cb, 9]),
    band: on([0x1f2430, 0], [0xe4e9f2, 7]),
    code_keyword: ink(0x7a2bb0, 5),
    code_string: ink(0x7d4e00, 1),
    code_number: ink(0x00676b, 6),
    code_name: ink(0x0757b8, 4),
    code_comment: ink(0x5b6270, 8),
    selection: on([0x10243f, 0], [0xc4dcfb, 14]),
    badge: on([0xffffff, 15], [0x8a5200, 1]),
    status: ink(0x3d4451, 0),
  },
};

const { bold: BOLD, underline: UNDERLINE, inverse: INVERSE } = ATTRIBUTES;

const HIGH_CONTRAST: Palette = {
  grounds: [0x000000],
  inks: {
    text: on([0xffffff, 15], [0x000000, 0]),
    dim: ink(0xd0d0d0, 7),
    accent: ink(0x6ff3ff, 14),
    border: ink(0xffffff, 15),
    focus: ink(0xffff00, 11),
    user: ink(0x7dff7d, 10),
    agent: ink(0x6ff3ff, 14),
    thinking: ink(0xffb3ff, 13),
    tool: ink(0xffffff, 15),
    ok: ink(0x7dff7d, 10),
    warn: ink(0xffff00, 11),
    error: { fg: { rgb: 0xff9d9d, basic: 9 }, attributes: BOLD },
    diff_add: ink(0x7dff7d, 10),
    diff_del: ink(0xff9d9d, 9),
    diff_add_word: on([0x000000, 0], [0x7dff7d, 10]),
    diff_del_word: on([0x000000, 0], [0xff9d9d, 9]),
    band: on([0xffffff, 15], [0x303030, 4]), // black, the nearest of the sixteen, is the ground of everything else
    code_keyword: ink(0xffb3ff, 13),
    code_string: ink(0xffff00, 11),
    code_number: ink(0x6ff3ff, 14),
    code_name: ink(0x9cd1ff, 12),
    code_comment: ink(0xd0d0d0, 7),
    selection: on([0x000000, 0], [0xffff00, 11]),
    badge: on([0x000000, 0], [0xffff00, 11]),
    status: ink(0xffffff, 15),
  },
};

/** No colours of its own: bold, underline and inverse carry every meaning that a glyph does not. Also what a terminal without colour shows. */
const PLAIN: Palette = {
  grounds: [],
  inks: {
    text: {},
    dim: {},
    accent: { attributes: BOLD },
    border: {},
    focus: { attributes: BOLD },
    user: { attributes: BOLD },
    agent: { attributes: BOLD },
    thinking: {},
    tool: {},
    ok: {},
    warn: { attributes: BOLD },
    error: { attributes: BOLD },
    diff_add: {},
    diff_del: {},
    diff_add_word: { attributes: UNDERLINE },
    diff_del_word: { attributes: UNDERLINE },
    band: {},
    code_keyword: { attributes: BOLD },
    code_string: {},
    code_number: {},
    code_name: {},
    code_comment: {},
    selection: { attributes: INVERSE },
    badge: { attributes: INVERSE },
    status: {},
  },
};

/** The themes that come with the program. `auto` is one of the first two, by the terminal's background. */
export const PALETTES = { dark: DARK, light: LIGHT, "high-contrast": HIGH_CONTRAST, plain: PLAIN } as const;
export type Shipped = keyof typeof PALETTES;
