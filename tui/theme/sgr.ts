import { ownEntry } from "../../lib/base/json/record.js";
import { withoutLink } from "../draw/links.js";
import { ATTRIBUTES, DEFAULT_SLOT, type Slot, slotNamed } from "../draw/theme.js";
import { type Colour, type Depth, nearest256 } from "./colour.js";
import { type Ink, PALETTES, type Palette } from "./palette.js";

/** Ready sequences for styles, each made once per theme and depth. @param italic the terminal has it; else it is underlined. Without colour the attributes of the plain theme carry the meaning. */
export function sgrTable(depth: Depth, palette: Palette = PALETTES.dark, italic = true): (style: number) => string {
  const { inks } = depth === "none" ? PALETTES.plain : palette;
  const ready = new Map<number, string>();
  return (style) => {
    const packed = withoutLink(style);
    const known = ready.get(packed);
    if (known !== undefined) return known;
    const made = sequence(italic ? packed : withoutItalic(packed), depth, inks);
    ready.set(packed, made);
    return made;
  };
}

const withoutItalic = (packed: number): number =>
  packed & (ATTRIBUTES.italic << 18) ? (packed & ~(ATTRIBUTES.italic << 18)) | (ATTRIBUTES.underline << 18) : packed;

/** Terminals that show something else for italic, or nothing. */
export const hasItalic = ({ TERM = "" }: Env): boolean => !/^(linux|screen|vt\d|cons25|dumb)/.test(TERM);

function sequence(packed: number, depth: Depth, inks: Readonly<Record<Slot, Ink>>): string {
  const fore = (packed >> 9) & DEFAULT_SLOT;
  const back = packed & DEFAULT_SLOT;
  const front = inkOf(fore, inks);
  const ground = inkOf(back, inks);
  const attributes = (packed >> 18) | (front.attributes ?? 0) | (back === fore ? 0 : (ground.attributes ?? 0));
  const parts = ["0"];
  if (attributes & ATTRIBUTES.bold) parts.push("1");
  if (attributes & ATTRIBUTES.italic) parts.push("3");
  if (attributes & ATTRIBUTES.underline) parts.push("4");
  if (attributes & ATTRIBUTES.inverse) parts.push("7");
  if (depth !== "none")
    parts.push(...code(front.fg ?? inks.text.fg, depth, 38), ...code(ground.bg ?? inks.text.bg, depth, 48));
  return `\x1b[${parts.join(";")}m`;
}

/** One of the terminal's own colours is the same at either place. */
function inkOf(number: number, inks: Readonly<Record<Slot, Ink>>): Ink {
  const slot = slotNamed(number);
  if (slot !== undefined) return inks[slot];
  const own = { rgb: -1, basic: number };
  return { fg: own, bg: own };
}

function code(colour: Colour | undefined, depth: Depth, base: 38 | 48): string[] {
  if (colour === undefined) return [];
  const { rgb, basic } = colour;
  if (rgb >= 0 && depth === "truecolor") return [`${base};2;${rgb >> 16};${(rgb >> 8) & 255};${rgb & 255}`];
  if (rgb >= 0 && depth === "256") return [`${base};5;${nearest256(rgb)}`];
  if (basic === undefined) return [];
  return [String((base === 38 ? 30 : 40) + (basic > 7 ? basic - 8 + 60 : basic))];
}

type Env = Readonly<Record<string, string | undefined>>;

const FORCED: Readonly<Record<string, Depth>> = { "0": "none", false: "none", "1": "16", "2": "256", "3": "truecolor" };

/** Depth from the option or setting (`auto` and undefined ask the environment), as the workspace part has it (13). */
export function depthFrom(option: string | undefined, env: Env): Depth {
  if (option === "none" || option === "16" || option === "256" || option === "truecolor") return option;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return ownEntry(FORCED, forced) ?? found(env);
  return env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "" ? "none" : found(env);
}

function found(env: Env): Depth {
  if (/^(truecolor|24bit)$/.test(env["COLORTERM"] ?? "")) return "truecolor";
  return /256color|direct/.test(env["TERM"] ?? "") ? "256" : "16";
}
