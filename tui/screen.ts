import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import type { Widgets } from "neo-blessed";
import { type Cell, drawLine } from "./draw.js";
import type { PaneBox } from "./layout.js";
import { type Depth, sgrTable } from "./theme.js";

/** The cell buffer and the panes' boxes. The only place that knows the terminal library; it gets no input and never writes by itself. */
export interface CellScreen {
  resize(columns: number, rows: number): void;
  /** Place boxes, let `fill` write cells, and give the bytes that bring the terminal there; "" when nothing changed. */
  compose(boxes: readonly (PaneBox & { readonly title: string; readonly focused: boolean })[], fill: (lines: Cell[][]) => void): string;
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

/** Make the screen. The library's own handlers for signals and exit are taken off: leaving the terminal is ours. */
export async function createCellScreen(columns: number, rows: number, depth: Depth): Promise<CellScreen> {
  process.env["NCURSES_NO_UTF8_ACS"] = "1"; // read when the library loads: no letters with charset switches for borders
  const { default: blessed } = await import("neo-blessed");
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
  const sgr = sgrTable(depth);
  const boxes = new Map<string, Widgets.BoxElement>();
  let fill: (lines: Cell[][]) => void = () => undefined;
  let out = "";
  inner.draw = () => {
    fill(inner.lines);
    out = inner.lines.map((line, y) => drawLine(y, line, inner.olines[y] ?? [], sgr)).join("");
  };
  return {
    resize: (width, height) => {
      facade.columns = width;
      facade.rows = height;
      inner.program.cols = width;
      inner.program.rows = height;
      inner.alloc(true);
      forget(inner);
    },
    compose: (panes, write) => {
      for (const [name, box] of boxes) if (!panes.some((pane) => pane.pane === name && pane.border)) box.hide();
      for (const pane of panes) if (pane.border) place(blessed.box, screen, boxes, pane);
      fill = write;
      out = "";
      inner.render();
      return out;
    },
    forget: () => forget(inner),
    close: () => screen.destroy(),
  };
}

function createFacade(columns: number, rows: number): NodeJS.WriteStream {
  const facade: Facade = Object.assign(new EventEmitter(), { columns, rows, isTTY: true, writable: true, write: () => true });
  return facade as unknown as NodeJS.WriteStream; // the library uses only these members of a stream
}

type BoxMaker = (options: Widgets.BoxOptions) => Widgets.BoxElement;
type Titled = PaneBox & { readonly title: string; readonly focused: boolean };

function place(make: BoxMaker, screen: Widgets.Screen, boxes: Map<string, Widgets.BoxElement>, pane: Titled): void {
  const { x, y, width, height } = pane.box;
  let box = boxes.get(pane.pane);
  if (!box) {
    box = make({ parent: screen, border: "line", tags: false });
    boxes.set(pane.pane, box);
  }
  box.show();
  Object.assign(box.position, { left: x, top: y, width, height });
  box.style.border = { fg: pane.focused ? 75 : 240, bold: pane.focused };
  box.setLabel(pane.title);
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
