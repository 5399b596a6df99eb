/** Cells of a terminal as a picture: text as `tmux capture-pane -e` gives it, with its colours. */

const CELL = { width: 8.4, height: 18 };
const MARGIN = 12;
const BASIC = ["#1c1c1c", "#d75f5f", "#87af5f", "#d7af5f", "#5f87d7", "#af87d7", "#5fafaf", "#d0d0d0"];
const BRIGHT = ["#6c6c6c", "#ff8787", "#afd787", "#ffd787", "#87afff", "#d7afff", "#87d7d7", "#ffffff"];
const PAPER = "#16181d";
const INK = "#d6d9e0";

interface Style {
  readonly fg: string | undefined;
  readonly bg: string | undefined;
  readonly bold: boolean;
  readonly inverse: boolean;
  readonly underline: boolean;
}

const PLAIN: Style = { fg: undefined, bg: undefined, bold: false, inverse: false, underline: false };

interface Titled {
  readonly columns: number;
  /** What is seen, for readers who cannot see it. */
  readonly title: string;
}

/** @param rows one text per row of the terminal, with SGR sequences @param cellsOf cells that a text takes */
export function toSvg(rows: readonly string[], { columns, title }: Titled, cellsOf: (text: string) => number): string {
  const width = columns * CELL.width + 2 * MARGIN;
  const height = rows.length * CELL.height + 2 * MARGIN;
  const lines = rows.flatMap((row, y) => rowSvg(row, y, cellsOf));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height.toFixed(0)}" font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${PAPER}"/>`,
    ...lines,
    "</svg>\n",
  ].join("\n");
}

function rowSvg(row: string, y: number, cellsOf: (text: string) => number): string[] {
  const out: string[] = [];
  let style = PLAIN;
  let column = 0;
  for (const part of row.split(/(\x1b\[[\d;:]*m)/)) {
    if (part.startsWith("\x1b[")) style = sgr(style, part.slice(2, -1));
    else if (part !== "") {
      const cells = cellsOf(part);
      out.push(...spanSvg(part, { column, y, cells }, style));
      column += cells;
    }
  }
  return out;
}

function spanSvg(
  text: string,
  at: { readonly column: number; readonly y: number; readonly cells: number },
  style: Style,
): string[] {
  const [fg, bg] = style.inverse ? [style.bg ?? PAPER, style.fg ?? INK] : [style.fg ?? INK, style.bg];
  const x = (MARGIN + at.column * CELL.width).toFixed(1);
  const top = MARGIN + at.y * CELL.height;
  const width = (at.cells * CELL.width).toFixed(1);
  const ground =
    bg === undefined ? [] : [`<rect x="${x}" y="${top}" width="${width}" height="${CELL.height}" fill="${bg}"/>`];
  if (text.trim() === "") return ground;
  const looks = `${style.bold ? ' font-weight="bold"' : ""}${style.underline ? ' text-decoration="underline"' : ""}`;
  const where = `x="${x}" y="${top + 14}" textLength="${width}" lengthAdjust="spacingAndGlyphs"`;
  return [...ground, `<text ${where} fill="${fg}"${looks} xml:space="preserve">${escaped(text)}</text>`];
}

const escaped = (text: string): string => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

function sgr(style: Style, codes: string): Style {
  const numbers = codes.split(/[;:]/).map(Number);
  let now = style;
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0;
    if (code === 38 || code === 48) {
      const rgb = numbers[at + 1] === 2;
      const colour = rgb ? hex(numbers.slice(at + 2, at + 5)) : indexed(numbers[at + 2] ?? 0);
      now = code === 38 ? { ...now, fg: colour } : { ...now, bg: colour };
      at += rgb ? 4 : 2;
    } else now = plainCode(now, code);
  }
  return now;
}

function plainCode(style: Style, code: number): Style {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 22) return { ...style, bold: false };
  if (code === 4 || code === 24) return { ...style, underline: code === 4 };
  if (code === 7 || code === 27) return { ...style, inverse: code === 7 };
  if (code === 39) return { ...style, fg: undefined };
  if (code === 49) return { ...style, bg: undefined };
  const base = Math.floor(code / 10) * 10;
  const colour =
    base === 30 || base === 40 ? BASIC[code - base] : base === 90 || base === 100 ? BRIGHT[code - base] : undefined;
  if (colour === undefined) return style;
  return base === 30 || base === 90 ? { ...style, fg: colour } : { ...style, bg: colour };
}

const hex = (parts: readonly number[]): string =>
  `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;

/** A colour of the palette of 256. */
function indexed(index: number): string {
  if (index < 8) return BASIC[index] ?? INK;
  if (index < 16) return BRIGHT[index - 8] ?? INK;
  if (index > 231) return hex(Array.from({ length: 3 }, () => 8 + (index - 232) * 10));
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const cube = index - 16;
  return hex([level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)]);
}
