import type { RowOf, Span } from "../../draw/canvas.js";
import { THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import { markedSpans } from "../marked.js";
import type { OverlayKind, Spot } from "../overlay.js";
import { lineSpot, listSpots } from "../spots.js";
import { lineBox } from "../text-box.js";
import { windowed, windowFrom } from "../window.js";
import { SHOWN } from "./search.js";
import type { Hit, PaletteOverlay } from "./state.js";
import { editInput, pressed, typedIn } from "./update.js";
import { verbsOf } from "./verbs.js";

const WIDEST = 100;
const KIND_CELLS = 9;

/** One line of input, below it at most twelve results with kind, name, detail and key. */
export const PALETTE_KIND: OverlayKind<PaletteOverlay> = {
  context: "palette",
  draw: (_state, overlay, room) => {
    const width = Math.min(room.width, WIDEST);
    const { asking, actions } = overlay;
    const prompt = asking === undefined ? "› " : `${truncateToWidth(asking.prompt, Math.floor(width / 2))} `;
    const cells = textCells(prompt);
    const box = lineBox(asking?.input ?? overlay.input, Math.max(1, width - cells));
    const height = Math.max(1, Math.min(SHOWN, room.height - 1));
    const list = actions === undefined ? hitRows(overlay, { width, height }) : actionRows(actions, { width, height });
    const line = { from: cells, width: Math.max(1, width - cells) };
    // It keeps its height: nothing moves while one types.
    const rows = Array.from({ length: height }, (_, at): RowOf => list[at] ?? []);
    return {
      title: "Palette",
      width,
      foot: footOf(overlay),
      rows: [
        [
          [THEME.accent, prompt],
          [THEME.text, truncateToWidth(box.lines[0] ?? "", Math.max(1, width - cells))],
        ],
        ...rows,
      ],
      spots: [
        lineSpot(line, asking?.input ?? overlay.input, editInput),
        ...(asking === undefined ? listed(overlay, height) : []),
      ],
      cursor: { x: Math.min(width - 1, cells + box.cursor.x), y: 0 },
    };
  },
  typed: typedIn,
};

/** What was found, or below the head of an entry its actions. */
function listed({ hits, at, actions }: PaletteOverlay, height: number): readonly Spot[] {
  if (actions === undefined) return listSpots(1, windowed(hits.length, height, at), pressed);
  return listSpots(2, windowed(verbsOf(actions.entry).length, Math.max(1, height - 1), actions.at), pressed);
}

function footOf({ asking, actions, input }: PaletteOverlay): string {
  if (asking !== undefined) return "Enter confirms · Esc back";
  if (actions !== undefined) return "Enter runs it · Esc back";
  return input.text === ""
    ? "> commands  @ files  # tasks  ~ sessions  % models"
    : "Enter · Alt+Enter zoomed · Tab actions · Esc";
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function hitRows({ hits, at, input, loading }: PaletteOverlay, { width, height }: Size): readonly RowOf[] {
  if (hits.length === 0) return [[[THEME.dim, loading ? " loading…" : ` no match for ${input.text}`]]];
  const from = windowFrom(hits.length, height, at);
  const names = Math.min(
    Math.max(...hits.map(({ entry }) => textCells(entry.name))),
    Math.floor((width - KIND_CELLS) * 0.6),
  );
  return hits
    .slice(from, from + height)
    .map((hit, index) => hitRow(hit, { marked: from + index === at, names, width }));
}

interface Look {
  readonly marked: boolean;
  readonly names: number;
  readonly width: number;
}

function hitRow({ entry, marks }: Hit, { marked, names, width }: Look): RowOf {
  const plain = marked ? THEME.selection : THEME.text;
  const name = markedSpans(entry.name, marks, names, { plain, mark: marked ? THEME.selection : THEME.accent });
  const gap = names - name.reduce((sum, [, text]) => sum + textCells(text), 0);
  const left = width - KIND_CELLS - 2 - names - 2;
  const shortcut = truncateToWidth(entry.shortcut, Math.max(0, left));
  const detail = truncateToWidth(entry.detail, Math.max(0, left - textCells(shortcut) - 1));
  const space = Math.max(0, left - textCells(detail) - textCells(shortcut));
  const rest: Span[] =
    left < 4
      ? []
      : [
          [THEME.dim, `  ${detail}${" ".repeat(space)}`],
          [THEME.accent, shortcut],
        ];
  return [
    [THEME.dim, `${marked ? "›" : " "}${entry.kind.padEnd(KIND_CELLS)}`],
    ...name,
    [plain, " ".repeat(Math.max(0, gap))],
    ...rest,
  ];
}

function actionRows({ entry, at }: NonNullable<PaletteOverlay["actions"]>, { width, height }: Size): readonly RowOf[] {
  const head: RowOf = [[THEME.bold, truncateToWidth(` ${entry.kind} ${entry.name}`, width)]];
  const rows = verbsOf(entry).map((verb, index): RowOf => {
    const marked = index === at;
    return [
      [
        marked ? THEME.selection : THEME.text,
        ` ${marked ? "›" : " "} ${verb.label}${verb.ask === undefined ? "" : "…"} `,
      ],
    ];
  });
  const room = Math.max(1, height - 1);
  const from = windowFrom(rows.length, room, at);
  return [head, ...rows.slice(from, from + room)];
}
