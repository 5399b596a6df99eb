/** A style is a packed number: attributes << 18 | foreground << 9 | background, as the cell buffer of the library has it. 511 is the default colour. */
const DEFAULT = 0x1ff;
const BOLD = 1;
const UNDERLINE = 2;
const INVERSE = 8;

const style = (fg: number, attributes = 0, bg = DEFAULT): number => (attributes << 18) | (fg << 9) | bg;

export const THEME = {
  text: style(DEFAULT),
  bold: style(DEFAULT, BOLD),
  dim: style(244),
  accent: style(75, BOLD),
  border: style(240),
  focus: style(75, BOLD),
  user: style(114, BOLD),
  agent: style(75, BOLD),
  ok: style(114),
  warn: style(214),
  error: style(203),
  code: style(180),
  selection: style(DEFAULT, INVERSE),
  status: style(250),
  heading: style(DEFAULT, BOLD | UNDERLINE),
} as const;

export type Depth = "256" | "16" | "none";

/** Ready sequences for styles, made once each. Without colour every meaning stays visible by bold, underline or inverse. */
export function sgrTable(depth: Depth): (style: number) => string {
  const ready = new Map<number, string>();
  return (packed) => {
    const known = ready.get(packed);
    if (known !== undefined) return known;
    const made = sequence(packed, depth);
    ready.set(packed, made);
    return made;
  };
}

function sequence(packed: number, depth: Depth): string {
  const attributes = packed >> 18;
  const parts = ["0"];
  if (attributes & BOLD) parts.push("1");
  if (attributes & UNDERLINE) parts.push("4");
  if (attributes & INVERSE) parts.push("7");
  if (depth !== "none") parts.push(...colour((packed >> 9) & DEFAULT, depth, 38), ...colour(packed & DEFAULT, depth, 48));
  return `\x1b[${parts.join(";")}m`;
}

function colour(index: number, depth: Depth, base: 38 | 48): string[] {
  if (index === DEFAULT) return [];
  if (depth === "256" && index > 15) return [`${base};5;${index}`];
  const basic = index > 15 ? nearestBasic(index) : index;
  return [String((base === 38 ? 30 : 40) + (basic > 7 ? basic - 8 + 60 : basic))];
}

/** The palette's colours that the theme uses, by hand: a computed neighbour of grey or amber is hard to read. */
const BASIC: Readonly<Record<number, number>> = { 75: 12, 114: 10, 180: 3, 203: 9, 214: 11, 240: 8, 244: 8, 250: 7 };
const nearestBasic = (index: number): number => BASIC[index] ?? 7;

/** Depth from the options and the environment (workspace part, 13). */
export function depthFrom(option: string | undefined, env: Readonly<Record<string, string | undefined>>): Depth {
  if (option === "none" || option === "16") return option;
  if (option === "256" || option === "truecolor") return "256";
  if (env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "") return "none";
  const term = env["TERM"] ?? "";
  return /256color|direct/.test(term) || /truecolor|24bit/.test(env["COLORTERM"] ?? "") ? "256" : "16";
}
