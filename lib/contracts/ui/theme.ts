import * as z from "zod";
import { THEME_TOKENS } from "./theme-tokens.js";

/** The sixteen colours that every terminal has, in their order. */
export const BASIC_COLOURS = [
  "black",
  "red",
  "green",
  "yellow",
  "blue",
  "magenta",
  "cyan",
  "white",
  "bright_black",
  "bright_red",
  "bright_green",
  "bright_yellow",
  "bright_blue",
  "bright_magenta",
  "bright_cyan",
  "bright_white",
] as const;

const COLOUR = z
  .string()
  .refine(
    (text) => text === "default" || /^#[0-9a-fA-F]{6}$/.test(text) || BASIC_COLOURS.some((name) => name === text),
    'a color must be "#rrggbb", one of the sixteen names (red, bright_blue, ...), or default',
  );

const INK = z.union([
  COLOUR,
  z.strictObject({ fg: COLOUR.optional(), bg: COLOUR.optional(), bold: z.boolean().optional() }),
]);

/** `<AGENT_HOME>/themes/<name>.yaml`: the theme it begins with, and what it changes. */
export const ThemeFile = z.strictObject({
  base: z.enum(["dark", "light", "high-contrast", "plain"]).default("dark"),
  tokens: z.partialRecord(z.enum(THEME_TOKENS), INK).default({}),
});
export type ThemeFile = z.infer<typeof ThemeFile>;

/** A theme of the user as the owner read it; `error` says what is wrong with its file and where. */
export type OwnTheme =
  | { readonly name: string; readonly file: ThemeFile }
  | { readonly name: string; readonly error: string };
