import { type RowOf, type Span, wrap } from "../../draw/canvas.js";
import { THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import type { State } from "../../model/state.js";
import { markedSpans } from "../marked.js";
import type { Drawn, OverlayKind, Room, Spot } from "../overlay.js";
import { listSpots } from "../spots.js";
import { lineBox, pressedAt, pressedIn, textBox } from "../text-box.js";
import { windowed, windowFrom } from "../window.js";
import { choicesOf, markOf } from "./choices.js";
import type { FormField, FormOverlay } from "./state.js";
import { buttonPressed, choicePressed, pressed, typedIn, wheeled } from "./update.js";

const WIDEST = 78;
const TEXT_ROWS = 6;
const CHOICE_ROWS = 6;
const BESIDE_FROM = 46; // labels stand beside their fields from this width on
const MARK = 2;

/** Labels at the left, fields at the right, the button and what was refused below. Where it does not fit it scrolls with the cursor. */
export const FORM_KIND: OverlayKind<FormOverlay> = {
  context: "form",
  draw: (_state, overlay, room) => {
    const width = Math.min(room.width, WIDEST);
    const label =
      width < BESIDE_FROM ? 0 : Math.max(...overlay.fields.map((one) => textCells(labelOf(one)))) + MARK + 1;
    const said = overlay.lines
      .flatMap((line) => wrap(line, width - MARK))
      .map((line): RowOf => [[THEME.dim, `  ${line}`]]);
    const fields = overlay.fields.map((field, at) =>
      fieldRows(field, { place: at, focused: at === overlay.at, width, label }),
    );
    const button = buttonRow(overlay);
    const rows = [...said, ...(said.length > 0 ? [[]] : []), ...fields.flatMap(({ rows: own }) => own), [], button];
    const before =
      said.length +
      (said.length > 0 ? 1 : 0) +
      fields.slice(0, overlay.at).reduce((sum, one) => sum + one.rows.length, 0);
    const cursor = fields[overlay.at]?.cursor;
    const at = cursor === undefined ? rows.length - 1 : before + cursor.y;
    const spots = [
      ...spotsOf(fields, said.length + (said.length > 0 ? 1 : 0)),
      { y: rows.length - 1, act: buttonPressed },
    ];
    return cutToRoom({ rows, at, x: cursor?.x, spots }, overlay, { width, height: room.height });
  },
  typed: typedIn,
  wheel: (state, _overlay, by) => wheeled(by)(state),
};

/** Those of all fields, one below the other from row `y` on. */
function spotsOf(fields: readonly FieldRows[], y: number): readonly Spot[] {
  let before = y;
  return fields.flatMap(({ rows, spots }) => {
    const from = before;
    before += rows.length;
    return spots.map((spot) => ({ ...spot, y: from + spot.y }));
  });
}

interface All {
  readonly rows: readonly RowOf[];
  /** Row that must be seen. */
  readonly at: number;
  /** Column of the cursor; undefined: without a cursor. */
  readonly x: number | undefined;
  readonly spots: readonly Spot[];
}

/** The refusal stays in sight whatever is scrolled. */
function cutToRoom({ rows, at, x, spots: all }: All, overlay: FormOverlay, { width, height }: Room): Drawn {
  const error = overlay.error === "" ? [] : wrap(overlay.error, width - MARK).slice(0, Math.max(1, height - 2));
  const room = Math.max(1, height - error.length);
  const from = rows.length <= room ? 0 : windowFrom(rows.length, room, at);
  const shown = [...rows.slice(from, from + room), ...error.map((line): RowOf => [[THEME.error, `  ${line}`]])];
  const foot = overlay.busy ? "waiting for the answer" : `${firstKey(overlay)}Tab next · Ctrl+Enter done · Esc cancels`;
  const spots = all.flatMap((spot) => (spot.y < from || spot.y >= from + room ? [] : [{ ...spot, y: spot.y - from }]));
  const drawn = { title: overlay.title, width, rows: shown, foot, spots };
  return x === undefined || overlay.busy ? drawn : { ...drawn, cursor: { x: Math.min(x, width - 1), y: at - from } };
}

/** What Enter or the arrows do in this field and not in others. */
function firstKey({ fields, at }: FormOverlay): string {
  const field = fields[at];
  if (field?.kind === "text") return "Enter new line · ";
  if (field?.kind !== "words" || choicesOf(field).length === 0) return "";
  return field.marked === undefined ? "↓ choose · " : "Enter selects · ";
}

const labelOf = ({ label, required }: FormField): string => (required === true ? `${label} *` : label);

function buttonRow({ at, fields, button, busy }: FormOverlay): RowOf {
  const focused = at >= fields.length;
  return [
    [THEME.accent, focused ? "› " : "  "],
    [busy ? THEME.dim : focused ? THEME.selection : THEME.accent, `[ ${busy ? `${button}…` : button} ]`],
  ];
}

interface Place {
  /** Which field it is. */
  readonly place: number;
  readonly focused: boolean;
  readonly width: number;
  /** Cells of the column of labels; 0: they stand above. */
  readonly label: number;
}

interface FieldRows {
  readonly rows: readonly RowOf[];
  readonly cursor: { readonly x: number; readonly y: number };
  readonly spots: readonly Spot[];
}

function fieldRows(field: FormField, place: Place): FieldRows {
  const { focused, width, label } = place;
  const left = label === 0 ? MARK : label;
  const { lines, cursor, top } = input(field, width - left, focused);
  const style = focused ? THEME.text : THEME.dim;
  const inputs = lines.map((line): Span => [style, line]);
  const head: Span[] = [
    [THEME.accent, focused ? "› " : "  "],
    [focused ? THEME.bold : THEME.text, labelOf(field)],
  ];
  const list = focused && listed(field) ? choiceRows(field, left, width) : [];
  const above = label === 0 ? 1 : 0; // the row of the label alone
  const spots = [
    ...inputSpots(field, place, { left, top, above, count: lines.length }),
    ...choiceSpots(field, list, above + lines.length),
  ];
  const indent: Span = [THEME.text, " ".repeat(left)];
  if (label === 0) {
    const rows = [head, ...inputs.map((one): RowOf => [indent, one]), ...list];
    return { rows, cursor: { x: left + cursor.x, y: 1 + cursor.y - top }, spots };
  }
  const gap: Span = [THEME.text, " ".repeat(Math.max(1, label - MARK - textCells(labelOf(field))))];
  const rows = inputs.map((one, at): RowOf => (at === 0 ? [...head, gap, one] : [indent, one]));
  return { rows: [...rows, ...list], cursor: { x: left + cursor.x, y: cursor.y - top }, spots };
}

/** A field whose choices are shown below it; words that nothing completes have no list. */
const listed = (field: FormField): boolean =>
  field.kind === "choice" || (field.kind === "words" && choicesOf(field).length > 0);

interface Inputs {
  readonly left: number;
  /** Row of the text that is the first one seen. */
  readonly top: number;
  readonly above: number;
  readonly count: number;
}

/** Rows of the label and of the text: a press begins to edit there. */
function inputSpots(
  { kind, editor }: FormField,
  { place, focused, width }: Place,
  { left, top, above, count }: Inputs,
): readonly Spot[] {
  const seen = focused ? editor : { text: editor.text, cursor: 0 };
  const cursorAt = (x: number, row: number): number =>
    kind === "text" ? pressedIn(seen, width - left, { x, y: row + top }) : pressedAt(seen, width - left, x);
  return Array.from({ length: above + count }, (_, y) => ({
    y,
    act: (state: State, x: number) => pressed(place, cursorAt(Math.max(0, x - left), Math.max(0, y - above)))(state),
  }));
}

function choiceSpots(field: FormField, list: readonly RowOf[], y: number): readonly Spot[] {
  const found = choicesOf(field);
  if (list.length === 0 || found.length === 0) return [];
  return listSpots(y, windowed(found.length, CHOICE_ROWS, Math.max(0, markOf(field))), choicePressed);
}

/** The part of the input that is seen; an empty field shows a rule, so that it can be seen where it is. */
function input({ kind, editor }: FormField, width: number, focused: boolean) {
  if (kind !== "text") {
    const box = lineBox(focused ? editor : { text: editor.text, cursor: 0 }, width, kind === "hidden");
    return {
      lines: [box.lines[0] === "" ? "_".repeat(width) : truncateToWidth(box.lines[0] ?? "", width)],
      cursor: box.cursor,
      top: 0,
    };
  }
  const box = textBox(editor, width);
  const top = windowFrom(box.lines.length, TEXT_ROWS, focused ? box.cursor.y : 0);
  const lines =
    editor.text === ""
      ? ["_".repeat(width)]
      : box.lines.slice(top, top + TEXT_ROWS).map((line) => line.replaceAll("\t", " "));
  return { lines, cursor: box.cursor, top };
}

function choiceRows(field: FormField, left: number, width: number): readonly RowOf[] {
  const found = choicesOf(field);
  const at = markOf(field);
  const indent: Span = [THEME.text, " ".repeat(left)];
  if (found.length === 0)
    return [[indent, [THEME.warn, (field.choices?.length ?? 0) === 0 ? "nothing to choose from" : "nothing matches"]]];
  const column = Math.min(24, Math.max(...found.map(({ value }) => textCells(value))), width - left - MARK);
  const from = windowFrom(found.length, CHOICE_ROWS, Math.max(0, at));
  return found.slice(from, from + CHOICE_ROWS).map(({ value, detail, marks }, index): RowOf => {
    const marked = from + index === at;
    const plain = marked ? THEME.selection : THEME.text;
    const name = markedSpans(value, marks, column, { plain, mark: marked ? THEME.selection : THEME.accent });
    const used = name.reduce((sum, [, text]) => sum + textCells(text), 0);
    const rest = truncateToWidth(detail, Math.max(0, width - left - MARK - column - 2));
    return [
      indent,
      [plain, marked ? "› " : "  "],
      ...name,
      [plain, " ".repeat(Math.max(0, column - used))],
      [THEME.dim, rest === "" ? "" : `  ${rest}`],
    ];
  });
}
