const ASCII_ROWS: readonly (readonly [glyphs: string, ascii: string])[] = [
  ["─┄┈╌━‐‑‒–—―−", "-"],
  ["│┆┊╎▏▕", "|"],
  ["┌┐┘└├┤┬┴┼╭╮╯╰┏┓┛┗╔╗╝╚╠╣╦╩╬╟╢", "+"],
  ["═", "="],
  ["║┃█▌▐■", "#"],
  ["▁▂▃▄▅▆▇▀▬", "_"],
  ["░▒▓", ":"],
  ["✓✔☑", "+"],
  ["✗✘", "x"],
  ["⊘⌀", "/"],
  ["·∙•◦‧", "."],
  ["●◉⬤", "*"],
  ["○◌☐□", "o"],
  ["◐", "|"],
  ["◓", "/"],
  ["◑", "-"],
  ["◒", "\\"],
  ["⚠", "!"],
  ["⌂", "A"],
  ["✎", "c"],
  ["…", "~"],
  ["«◂◀‹⟪", "<"],
  ["»▸▶›⟫❯→↦", ">"],
  ["←↤", "<"],
  ["↑▴▲", "^"],
  ["↓▾▼", "v"],
  ["␛", "^"],
  ["“”„", '"'],
  ["‘’‚", "'"],
  ["×", "x"],
  ["⏎↵", "<"],
  ["◆◇★☆", "*"],
];

const ASCII: ReadonlyMap<string, string> = new Map(
  ASCII_ROWS.flatMap(([glyphs, ascii]) => [...glyphs].map((glyph) => [glyph, ascii])),
);

/** What stands for a sign where only ASCII can be shown; letters of other scripts stay, they are text of people. */
export const toAscii = (cluster: string): string => ASCII.get(cluster) ?? cluster;

/** Whether a sign has such a counterpart. */
export const hasAscii = (cluster: string): boolean => ASCII.has(cluster);
