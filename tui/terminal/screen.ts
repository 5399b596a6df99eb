import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { toAscii } from "../draw/ascii.js";
import { type Cell, drawLine } from "../draw/draw.js";
import type { Depth } from "../theme/colour.js";
import type { Palette } from "../theme/palette.js";
import { sgrTable } from "../theme/sgr.js";
import type { PictureProtocol } from "./picture-bytes.js";
import type { PictureLayer } from "./picture-layer.js";

/** How cells become bytes. */
export interface Look {
  readonly depth: Depth;
  readonly palette: Palette;
  /** Signs are shown by their counterparts in ASCII. */
  readonly ascii: boolean;
  /** The terminal has italic letters. Absent: yes. */
  readonly italic?: boolean;
  /** Addresses can be clicked. */
  readonly links: boolean;
  /** How the terminal shows pictures. Absent: it does not. */
  readonly pictures?: PictureProtocol;
}

/** The cell buffer. The only place that knows the terminal library; it gets no input and never writes by itself. */
export interface CellScreen {
  resize(columns: number, rows: number): void;
  /** Let `fill` write cells, and give the bytes that bring the terminal there; "" when nothing changed. */
  compose(fill: (lines: Cell[][]) => void): string;
  /** From the next frame on, which writes every cell. */
  look(look: Look): void;
  /** Forget what the terminal shows, so that the next frame writes every cell. */
  forget(): void;
  close(): void;
}

interface Facade extends EventEmitter {
  columns: number;
  rows: number;
  isTTY: boolean;
  writable: boolean;
  write(text: string): boolean;
}

/** What is used of the library's screen beside its declared types. */
interface Inner {
  lines: (Cell[] & { dirty?: boolean })[];
  olines: Cell[][];
  draw(start: number, end: number): void;
  alloc(dirty?: boolean): void;
  render(): void;
  program: { cols: number; rows: number };
}

/** Load the library, which the maker of the screen would do otherwise. */
export async function loadLibrary() {
  process.env["NCURSES_NO_UTF8_ACS"] = "1"; // read when the library loads: no letters with charset switches for borders
  return (await import("neo-blessed")).default;
}

/** Make the screen. The library's own handlers for signals and exit are taken off: leaving the terminal is ours. */
export async function createCellScreen(
  columns: number,
  rows: number,
  first: Look,
  pictures?: PictureLayer,
): Promise<CellScreen> {
  const blessed = await loadLibrary();
  const facade = createFacade(columns, rows);
  const screen = blessed.screen({
    input: new PassThrough(),
    output: facade,
    terminal: "xterm-256color", // never TERM: some values are taken for 8 colours
    fullUnicode: true,
    smartCSR: false,
    warnings: false,
    dockBorders: false,
  });
  dropHandlers((blessed as { Screen?: unknown }).Screen);
  const inner = screen as unknown as Inner; // these members exist in the pinned version; `screen.test.ts` holds them
  let { ascii, links } = first;
  let sgr = sgrTable(first.depth, first.palette, first.italic);
  let fill: (lines: Cell[][]) => void = () => undefined;
  let out = "";
  pictures?.use(first.pictures);
  inner.draw = () => {
    fill(inner.lines);
    pictures?.take(inner.lines, inner.olines);
    if (ascii) for (const line of inner.lines) for (const cell of line) cell[1] = toAscii(cell[1]);
    out = inner.lines.map((line, y) => drawLine(y, line, inner.olines[y] ?? [], { sgr, links })).join("");
    out += pictures?.bytes() ?? "";
  };
  const forgetAll = () => {
    forget(inner);
    pictures?.forget();
  };
  return {
    resize: (width, height) => {
      facade.columns = width;
      facade.rows = height;
      inner.program.cols = width;
      inner.program.rows = height;
      inner.alloc(true);
      forgetAll();
    },
    compose: (write) => {
      fill = write;
      out = "";
      inner.render();
      return out;
    },
    look: (look) => {
      ascii = look.ascii;
      links = look.links;
      sgr = sgrTable(look.depth, look.palette, look.italic);
      forgetAll();
      pictures?.use(look.pictures);
    },
    forget: forgetAll,
    close: () => screen.destroy(),
  };
}

function createFacade(columns: number, rows: number): NodeJS.WriteStream {
  const facade: Facade = Object.assign(new EventEmitter(), {
    columns,
    rows,
    isTTY: true,
    writable: true,
    write: () => true,
  });
  return facade as unknown as NodeJS.WriteStream; // the library uses only these members of a stream
}

function forget(inner: Inner): void {
  for (const line of inner.olines) {
    for (const cell of line) {
      cell[0] = -1;
      cell[1] = "";
    }
  }
}

interface ScreenClass {
  _exceptionHandler?: (error: Error) => void;
  _sigtermHandler?: () => void;
  _sigintHandler?: () => void;
  _sigquitHandler?: () => void;
  _exitHandler?: () => void;
}

/** They would end the process past our own handling, and clear the screen a second time. */
function dropHandlers(screenClass: unknown): void {
  const own = (screenClass ?? {}) as ScreenClass; // statics of the pinned version, not in its declared types
  if (own._exceptionHandler) process.removeListener("uncaughtException", own._exceptionHandler);
  if (own._sigtermHandler) process.removeListener("SIGTERM", own._sigtermHandler);
  if (own._sigintHandler) process.removeListener("SIGINT", own._sigintHandler);
  if (own._sigquitHandler) process.removeListener("SIGQUIT", own._sigquitHandler);
  if (own._exitHandler) process.removeListener("exit", own._exitHandler);
}
