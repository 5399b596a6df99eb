import { type RowOf, wrap } from "../../draw/canvas.js";
import { THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import { markedSpans } from "../marked.js";
import type { OverlayKind } from "../overlay.js";
import { lineSpot, listSpots } from "../spots.js";
import { lineBox } from "../text-box.js";
import { windowed, windowFrom } from "../window.js";
import type { ModelsEntry, ModelsOverlay } from "./state.js";
import { editLine, type FoundModel, foundModels, labelOf, pressed, typedIn } from "./update.js";

const WIDEST = 96;
const MOST = 18;

/** What there is to answer with: model, provider, window, what else is known of it. */
export const MODELS_KIND: OverlayKind<ModelsOverlay> = {
  context: "models",
  draw: (_state, overlay, room) => {
    const width = Math.min(room.width, WIDEST);
    const { entry, filter, note } = overlay;
    const prompt = entry === undefined ? "› " : truncateToWidth(promptOf(entry), width - 8);
    const cells = textCells(prompt);
    const box = lineBox(entry?.input ?? filter, Math.max(1, width - cells), entry?.kind === "key");
    const notes =
      note === undefined
        ? []
        : wrap(note.text, width - 2)
            .slice(0, 3)
            .map((line): RowOf => [[note.error ? THEME.error : THEME.ok, ` ${line}`]]);
    const height = Math.max(1, Math.min(MOST, room.height - 1 - notes.length));
    const list = rowsOf(overlay, width, height);
    return {
      title: "Models",
      width,
      foot:
        width < 70
          ? "Enter · Alt+G default · Alt+K key · Alt+T test"
          : "Enter uses it here · Alt+G default · Alt+K key · Alt+T test · Alt+R refresh",
      rows: [
        [
          [THEME.accent, prompt],
          [THEME.text, truncateToWidth(box.lines[0] ?? "", Math.max(1, width - cells))],
        ],
        ...list,
        ...notes,
      ],
      spots: [
        lineSpot({ from: cells, width: Math.max(1, width - cells) }, entry?.input ?? filter, editLine),
        ...(entry === undefined
          ? listSpots(1, windowed(foundModels(overlay).length, height, overlay.at), pressed)
          : []),
      ],
      cursor: { x: Math.min(width - 1, cells + box.cursor.x), y: 0 },
    };
  },
  typed: typedIn,
};

function promptOf({ kind, label, baseUrl }: ModelsEntry): string {
  if (kind === "address") return "address (http://127.0.0.1:11434/v1): ";
  return baseUrl === undefined ? `key of ${label} (hidden): ` : "key (hidden, Enter for none): ";
}

function rowsOf(overlay: ModelsOverlay, width: number, height: number): readonly RowOf[] {
  const { rows } = overlay;
  if (rows.state === "loading") return [[[THEME.dim, " listing models…"]]];
  if (rows.state === "failed") return wrap(rows.message, width - 2).map((line): RowOf => [[THEME.error, ` ${line}`]]);
  const found = foundModels(overlay);
  if (found.length === 0) return [[[THEME.dim, truncateToWidth(` No model matches “${overlay.filter.text}”.`, width)]]];
  const from = windowFrom(found.length, height, overlay.at);
  const names = Math.min(Math.max(...found.map(({ row }) => textCells(labelOf(row)))), Math.floor(width * 0.5));
  return found
    .slice(from, from + height)
    .map((one, index) => modelRow(one, { marked: from + index === overlay.at, names, width }));
}

interface Look {
  readonly marked: boolean;
  readonly names: number;
  readonly width: number;
}

function modelRow({ row, marks }: FoundModel, { marked, names, width }: Look): RowOf {
  const plain = marked ? THEME.selection : row.problem === "" ? THEME.text : THEME.dim;
  const name = markedSpans(labelOf(row), marks, names, { plain, mark: marked ? THEME.selection : THEME.accent });
  const gap = names - name.reduce((sum, [, text]) => sum + textCells(text), 0);
  const window = row.window === null ? "" : `${Math.round(row.window / 1000)}k`;
  const facts =
    row.problem === ""
      ? `${window.padStart(6)}  ${[row.needs === undefined ? row.provider : "", ...row.notes].filter(Boolean).join(" · ")}`
      : `        ${row.provider}: ${row.problem}`;
  return [
    [plain, `${marked ? "›" : " "}${row.current ? "*" : " "}`],
    ...name,
    [plain, " ".repeat(Math.max(0, gap))],
    [row.problem === "" ? THEME.dim : THEME.warn, truncateToWidth(facts, Math.max(0, width - names - 2))],
  ];
}
