import { BASIC_COLOURS, type OwnTheme, type ThemeFile } from "../../lib/contracts/ui/theme.js";
import { ATTRIBUTES, type Slot } from "../draw/theme.js";
import { type Colour, nearest16 } from "./colour.js";
import { type Ink, PALETTES, type Palette, type Shipped } from "./palette.js";

type Given = NonNullable<ThemeFile["tokens"]["text"]>;

/** A theme of the user: its base with what its file changes. */
function paletteFrom({ base, tokens }: ThemeFile): Palette {
  const from: Palette = PALETTES[base];
  const changed = Object.entries(tokens).flatMap(([slot, given]) =>
    given === undefined ? [] : [[slot, inkFrom(given)]],
  );
  return {
    grounds: from.grounds,
    inks: { ...from.inks, ...(Object.fromEntries(changed) as Partial<Record<Slot, Ink>>) },
  }; // the schema knows only names of slots
}

function inkFrom(given: Given): Ink {
  const { fg, bg, bold } = typeof given === "string" ? { fg: given, bg: undefined, bold: undefined } : given;
  const front = colourFrom(fg);
  const ground = colourFrom(bg);
  return {
    ...(front && { fg: front }),
    ...(ground && { bg: ground }),
    ...(bold === true && { attributes: ATTRIBUTES.bold }),
  };
}

/** The schema has checked it; `default` and nothing leave the terminal its own. */
function colourFrom(text: string | undefined): Colour | undefined {
  if (text === undefined || text === "default") return undefined;
  const names: readonly string[] = BASIC_COLOURS;
  const basic = names.indexOf(text);
  if (basic >= 0) return { rgb: -1, basic };
  const rgb = Number.parseInt(text.slice(1), 16);
  return { rgb, basic: nearest16(rgb) };
}

/** How a theme is found by its name. */
export interface Chosen {
  readonly palette: Palette;
  /** Why it is not the one that was asked for. */
  readonly error?: string;
}

const isShipped = (name: string): name is Shipped => Object.hasOwn(PALETTES, name);

/** Names of all themes, in the order in which they are offered. */
const themeNames = (own: readonly OwnTheme[]): readonly string[] => [
  "auto",
  ...Object.keys(PALETTES),
  ...own.map(({ name }) => name),
];

/** The theme of this name on a terminal with this background; one that cannot be had is `auto`, with the reason. */
export function chooseTheme(name: string, own: readonly OwnTheme[], background: "dark" | "light" | undefined): Chosen {
  const auto = PALETTES[background ?? "dark"];
  if (name === "auto") return { palette: auto };
  if (isShipped(name)) return { palette: PALETTES[name] };
  const found = own.find((one) => one.name === name);
  if (found === undefined)
    return { palette: auto, error: `unknown theme ${name} (known: ${themeNames(own).join(", ")})` };
  return "error" in found ? { palette: auto, error: found.error } : { palette: paletteFrom(found.file) };
}
