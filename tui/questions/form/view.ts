import type { FormField } from "../../../lib/contracts/chat/form.js";
import { fieldHint } from "../../../lib/contracts/chat/form-text.js";
import { type RowOf, type Span, wrap } from "../../draw/canvas.js";
import { bold, THEME } from "../../draw/theme.js";
import { textCells, truncateToWidth } from "../../draw/width.js";
import { lineBox } from "../../overlays/text-box.js";
import { type Filled, FORM_ANSWERS, filledText, isChosen, isPicked, optionsOf } from "./form.js";

interface Place {
  readonly width: number;
  /** Rows for fields and answers. */
  readonly room: number;
  readonly focused: boolean;
}

interface FormRows {
  readonly rows: readonly RowOf[];
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
}

const LABEL_MOST = 28;

/** Fields one below the other, the one with the keys with all that helps to fill it in; the answers below. As many as there is room for. */
export function formRows(form: Filled, { width, room, focused }: Place): FormRows {
  const cells = Math.min(LABEL_MOST, Math.max(8, ...form.fields.map((field) => textCells(named(field)))));
  const blocks = form.fields.map((field, at) =>
    at === form.at ? openField(form, field, { cells, width, focused }) : closedField(form, field, { cells, width }),
  );
  const answers = answerRow(form, focused);
  const all = [...blocks.map((block) => block.rows), [answers]];
  const space = Math.max(1, room - 1); // the row of keys
  const start = firstShown(all, form.at, space);
  const rows: RowOf[] = [];
  let cursor: FormRows["cursor"];
  for (const [at, block] of all.entries()) {
    if (at < start || rows.length >= space) continue;
    const inside = blocks[at]?.cursor;
    if (at === form.at && inside !== undefined && focused) cursor = { x: inside.x, y: rows.length + inside.y };
    rows.push(...block.slice(0, space - rows.length));
  }
  const hidden = start > 0 || all.slice(start).reduce((sum, block) => sum + block.length, 0) > space;
  const where = hidden && form.at < form.fields.length ? `field ${form.at + 1} of ${form.fields.length} · ` : "";
  return { rows: [...rows, [[THEME.dim, truncateToWidth(`  ${where}${keysOf(form, focused)}`, width)]]], cursor };
}

/** The block with the keys is in sight, with as many before it as fit. */
function firstShown(blocks: readonly (readonly RowOf[])[], at: number, space: number): number {
  let start = at;
  let used = blocks[at]?.length ?? 0;
  const below = at + 1 < blocks.length ? 1 : 0; // what comes next is seen, too
  while (start > 0 && used + below + (blocks[start - 1]?.length ?? 0) <= space) {
    start -= 1;
    used += blocks[start]?.length ?? 0;
  }
  return start;
}

const named = ({ label, required }: FormField): string => (required ? `${label} *` : label);

interface Column {
  readonly cells: number;
  readonly width: number;
}

const labelSpan = (field: FormField, cells: number, open: boolean): Span => {
  const name = truncateToWidth(named(field), cells);
  return [
    open ? bold(THEME.accent) : THEME.dim,
    `${open ? "› " : "  "}${name}${" ".repeat(Math.max(0, cells - textCells(name)))}  `,
  ];
};

function closedField(form: Filled, field: FormField, { cells, width }: Column): FormRows {
  const fault = form.faults[field.name];
  const room = Math.max(4, width - cells - 4);
  const value = filledText(form, field).replaceAll("\n", " ");
  const told: Span = fault === undefined ? [THEME.text, ""] : [THEME.error, `  ✗ ${fault}`];
  const text = truncateToWidth(value === "" ? "–" : value, Math.max(4, room - textCells(told[1])));
  return {
    rows: [[labelSpan(field, cells, false), [value === "" ? THEME.dim : THEME.text, text], told]],
    cursor: undefined,
  };
}

function openField(
  form: Filled,
  field: FormField,
  { cells, width, focused }: Column & Pick<Place, "focused">,
): FormRows {
  const indent = cells + 4;
  const room = Math.max(4, width - indent - 1);
  const below = (style: number, text: string): readonly RowOf[] =>
    wrap(text, room).map((line): RowOf => [[style, `${" ".repeat(indent)}${line}`]]);
  const fault = form.faults[field.name];
  const hint = isPicked(field) ? "" : fieldHint(field);
  const help = [field.description ?? "", hint].filter((part) => part !== "").join(" · ");
  const more = [
    ...(fault === undefined ? [] : below(THEME.error, `✗ ${fault}`)),
    ...(help === "" ? [] : below(THEME.dim, help)),
  ];
  if (isPicked(field)) {
    const [first = [], ...rest] = optionRows(form, field, { room, focused });
    const others = rest.map((row): RowOf => [[THEME.text, " ".repeat(indent)], ...row]);
    return { rows: [[labelSpan(field, cells, true), ...first], ...others, ...more], cursor: undefined };
  }
  const box = lineBox(form.lines[field.name] ?? { text: "", cursor: 0 }, room);
  const line: RowOf = [labelSpan(field, cells, true), [THEME.text, truncateToWidth(box.lines[0] ?? "", room)]];
  return { rows: [line, ...more], cursor: { x: indent + box.cursor.x, y: 0 } };
}

/** Options side by side, on as many rows as it takes. */
function optionRows(form: Filled, field: FormField, { room, focused }: { room: number; focused: boolean }): RowOf[] {
  const many = field.type === "choices";
  const pick = form.picks[field.name];
  const rows: Span[][] = [[]];
  let used = 0;
  for (const [at, { value, label }] of optionsOf(field).entries()) {
    const chosen = isChosen(pick, value);
    const box = many ? (chosen ? "[x]" : "[ ]") : chosen ? "(•)" : "( )";
    const text = truncateToWidth(`${box} ${label}`, room);
    const cells = textCells(text) + 2;
    if (used > 0 && used + cells > room) {
      rows.push([]);
      used = 0;
    }
    const style = at === form.mark && focused ? THEME.selection : chosen ? THEME.bold : THEME.text;
    rows.at(-1)?.push([style, text], [THEME.text, "  "]);
    used += cells;
  }
  return rows;
}

function answerRow(form: Filled, focused: boolean): RowOf {
  const here = form.at >= form.fields.length;
  const spans = FORM_ANSWERS.flatMap(([, label], at): Span[] => [
    here && at === form.mark
      ? [focused ? THEME.selection : bold(THEME.accent), `›${label}‹`]
      : [THEME.dim, ` ${label} `],
    [THEME.text, " "],
  ]);
  return [[THEME.text, " "], ...spans];
}

function keysOf(form: Filled, focused: boolean): string {
  const field = form.fields[form.at];
  const keys =
    field === undefined
      ? "←→ choose · Enter confirm · Shift+Tab back to the fields"
      : isPicked(field)
        ? `←→ choose${field.type === "choices" ? ", Space mark" : ""} · Tab next · Enter confirm`
        : "Tab next · Shift+Tab back · Enter confirm";
  return `${focused ? "" : "Alt+A: focus · "}${keys} · Ctrl+C cancel`;
}
