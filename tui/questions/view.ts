import { urlParts } from "../../lib/contracts/chat/form-url.js";
import { type RowOf, type Span, wrap } from "../draw/canvas.js";
import { exactRows, wrapExact } from "../draw/exact.js";
import { rowsOfMarkdown } from "../draw/markdown.js";
import { bold, THEME } from "../draw/theme.js";
import { textCells, truncateToWidth } from "../draw/width.js";
import type { State } from "../model/state.js";
import type { Spot } from "../overlays/overlay.js";
import { diffStyle } from "../overlays/read/rows.js";
import { lineBox } from "../overlays/text-box.js";
import { pressed, widthsOf } from "./acts.js";
import type { Filled } from "./form/form.js";
import { formRows } from "./form/view.js";
import type { Choice, Part, Question } from "./question.js";
import { chosenAt, isHidden, shownQuestion } from "./shown.js";

const BODY_ROWS = 10; // workspace part, 7.5
const DIFF_ROWS = 20;
/** Rows that the fields of a form have, whatever its message. */
const FORM_ROWS = 8;

/** What the panel shows, and where the cursor stands in a line that is typed. */
interface Panel {
  readonly rows: readonly RowOf[];
  readonly cursor: { readonly x: number; readonly y: number } | undefined;
  /** Answers that can be pressed. */
  readonly spots: readonly Spot[];
  /** How far the text scrolls: its visible rows, and the first row at the end of it. */
  readonly scroll: Scroll;
}

interface Scroll {
  readonly page: number;
  readonly last: number;
}

type Foot = Omit<Panel, "scroll">;
const STILL: Scroll = { page: 0, last: 0 };

/** The panel of the shown question, at most `height` rows. */
export const questionRows = (state: State, width: number, height: number): readonly RowOf[] =>
  questionPanel(state, width, height).rows;

/** The command is there in full, a part of it at a time; what the answers do is always in sight. */
export function questionPanel(state: State, width: number, height: number): Panel {
  const question = shownQuestion(state);
  if (question === undefined) return { rows: [], cursor: undefined, spots: [], scroll: STILL };
  if (question.form !== undefined) return formPanel(state, question, question.form, { width, height });
  const foot = footOf(state, question, { width, height });
  const most = question.diff === "" ? BODY_ROWS : DIFF_ROWS;
  const space = height - 1 - foot.rows.length;
  const details = detailRows(question, width);
  const spare = details.rows.length > 0 && space > 1 ? 1 : 0; // for a line about the details, or about those left out
  const body = bodyRows(state, question, width, Math.max(1, Math.min(most, space - spare)));
  const told = cutDetails(details, { room: Math.max(0, space - body.rows.length), untold: body.untold, width });
  const rows = [headRow(state, question, width), ...body.rows, ...told, ...foot.rows].slice(0, height);
  const before = rows.length - foot.rows.length;
  const spots = foot.spots.map((spot) => ({ ...spot, y: before + spot.y }));
  return { rows, cursor: foot.cursor && { x: foot.cursor.x, y: before + foot.cursor.y }, spots, scroll: body.scroll };
}

/** The message as far as there is room beside the fields, and the fields. */
function formPanel(
  state: State,
  question: Question,
  form: Filled,
  { width, height }: { readonly width: number; readonly height: number },
): Panel {
  const { focused } = state.questions.asking;
  const least = Math.min(height - 2, FORM_ROWS);
  const message = indented(rowsOfMarkdown(question.body, width - 4));
  const room = Math.max(1, height - 1 - least);
  const shown =
    message.length <= room ? message : [...message.slice(0, room - 1), moreLines(message.length - room + 1, width)];
  const { rows, cursor } = formRows(form, { width, room: height - 1 - shown.length, focused });
  return {
    rows: [headRow(state, question, width), ...shown, ...rows].slice(0, height),
    cursor: cursor && { x: cursor.x, y: 1 + shown.length + cursor.y },
    spots: [],
    scroll: STILL,
  };
}

const moreLines = (count: number, width: number): RowOf => [
  [THEME.warn, truncateToWidth(`  … ${count} more ${count === 1 ? "line" : "lines"}`, width)],
];

/** The rule above the panel says what kind of thing is asked, who asks, how many questions there are, and how long it waits. */
function headRow(state: State, question: Question, width: number): RowOf {
  const { open, asking } = state.questions;
  const count = open.length > 1 ? ` ${asking.at + 1} of ${open.length}` : "";
  const right = `${count}${countdown(state, question)} ─`;
  const left = truncateToWidth(`─ ? ${question.title} `, Math.max(4, width - textCells(right)));
  const rule = "─".repeat(Math.max(0, width - textCells(left) - textCells(right)));
  return [
    [asking.focused ? THEME.focus : bold(THEME.warn), left],
    [asking.focused ? THEME.focus : THEME.warn, `${rule}${right}`],
  ];
}

/** It stands still while the panel has the keys. */
function countdown({ questions, wall }: State, { expiresAt, left }: Question): string {
  if (expiresAt === undefined || wall === 0) return "";
  const ms = questions.asking.focused && left !== undefined ? left : expiresAt - wall;
  if (ms >= 2 * DAY_MS) return ` ${Math.floor(ms / DAY_MS)} days`;
  if (ms >= 2 * HOUR_MS) return ` ${Math.floor(ms / HOUR_MS)} hours`;
  return ` ${String(Math.max(0, Math.ceil(ms / 1000))).padStart(3)} s`;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface Body extends Pick<Panel, "rows" | "scroll"> {
  /** Lines below the visible ones of which no row tells. */
  readonly untold: number;
}

/** Every line of what is asked about, and of what a write would change. */
function bodyRows(state: State, question: Question, width: number, room: number): Body {
  const all = indented(
    question.kind === "approval" ? commandRows(question, width - 4) : rowsOfMarkdown(question.body, width - 4),
  );
  if (all.length <= room) return { rows: all, scroll: STILL, untold: 0 };
  const page = Math.max(1, room - 1);
  const last = all.length - page;
  const top = Math.min(state.questions.asking.top, last);
  const more = last - top;
  const marker = more > 0 ? `↓ ${more} more ${more === 1 ? "line" : "lines"}` : "the end";
  const scrolls: readonly RowOf[] =
    room > 1 ? [[[THEME.warn, truncateToWidth(`  ${marker} · ↑↓ scroll · v whole`, width)]]] : [];
  return { rows: [...all.slice(top, top + page), ...scrolls], scroll: { page, last }, untold: room > 1 ? 0 : more };
}

const indented = (rows: readonly RowOf[]): readonly RowOf[] => rows.map((row) => [[THEME.text, "  "], ...row]);

function commandRows({ body, diff }: Question, width: number): readonly RowOf[] {
  const lines = body.split("\n");
  const command = lines.flatMap((line, at) => exactRows(line, width, at < lines.length - 1));
  const changes =
    diff === ""
      ? []
      : diff.split("\n").flatMap((line) => wrapExact(line, width).map((part): RowOf => [[diffStyle(line), part]]));
  return [...command, ...changes];
}

interface Details {
  readonly rows: readonly RowOf[];
  /** Row of the first part; those before it say where and why. */
  readonly firstPart: number;
}

interface Space {
  readonly room: number;
  readonly untold: number;
  readonly width: number;
}

/** As many details as there is room for; a row says how much is left out. */
function cutDetails({ rows, firstPart }: Details, { room, untold, width }: Space): readonly RowOf[] {
  if (room === 0 || (rows.length <= room && untold === 0)) return rows.slice(0, room);
  const shown = rows.slice(0, room - 1);
  const left = rows.length - shown.length + untold;
  const what = untold === 0 && shown.length >= firstPart ? "part" : "line";
  return [
    ...shown,
    [[THEME.warn, truncateToWidth(`  … ${left} more ${what}${left === 1 ? "" : "s"} · v whole`, width)]],
  ];
}

/** Directory, why it is asked, and what each part of the line is: first what needs the permission. */
function detailRows({ cwd, parts, reasons, url }: Question, width: number): Details {
  if (url !== undefined) return { rows: urlRows(url, width), firstPart: 0 };
  const place: readonly RowOf[] =
    cwd === "" ? [] : wrapExact(`in ${cwd}`, width - 4).map((line): RowOf => [[THEME.dim, `  ${line}`]]);
  const why = reasons.flatMap((one) => wrap(one, width - 4)).map((line): RowOf => [[THEME.warn, `  ${line}`]]);
  const risky = parts.filter((part) => part.risk !== "");
  const plain = parts.length > 1 ? parts.filter((part) => part.risk === "") : [];
  const told = [...risky, ...(plain.length > PLAIN_PARTS ? [] : plain)];
  const cells = Math.min(40, Math.floor(width / 2), Math.max(0, ...told.map((part) => textCells(part.argv))));
  const rest: readonly RowOf[] =
    plain.length > PLAIN_PARTS ? [[[THEME.dim, truncateToWidth(`  ${plain.length} parts without risk`, width)]]] : [];
  const rows = [...place, ...why, ...told.map((part) => partRow(part, parts.length === 1 ? 0 : cells)), ...rest];
  return { rows, firstPart: place.length + why.length };
}

/** The whole address, its host apart from the rest, and why to look twice. */
function urlRows(url: string, width: number): readonly RowOf[] {
  const parts = urlParts(url);
  const whole = wrapExact(url, width - 4).map((line): RowOf => [[THEME.code, `  ${line}`]]);
  if (parts === undefined)
    return [...whole, [[THEME.error, truncateToWidth("  not a web address: do not open it", width)]]];
  return [
    [
      [THEME.dim, "  host  "],
      [bold(THEME.warn), truncateToWidth(parts.host, Math.max(4, width - 10))],
    ],
    ...whole,
    ...parts.warnings.map((one): RowOf => [[THEME.error, truncateToWidth(`  ${one}`, width)]]),
  ];
}

/** Parts without risk that are shown one by one; `v` shows all. */
const PLAIN_PARTS = 3;

/** @param cells width of the column of the parts; 0: the only one is not told again */
function partRow({ argv, risk, why }: Part, cells: number): RowOf {
  const named = cells === 0 ? "  " : `  ${padded(truncateToWidth(argv, cells), cells)}   `;
  return [
    [THEME.text, named],
    [risk === "" ? THEME.dim : THEME.warn, risk === "" ? "needs no approval" : risk],
    [THEME.dim, why === "" ? "" : `: ${why}`],
  ];
}

const padded = (text: string, cells: number): string => `${text}${" ".repeat(Math.max(0, cells - textCells(text)))}`;

function footOf(
  state: State,
  question: Question,
  { width, height }: { readonly width: number; readonly height: number },
): Foot {
  const { line, focused } = state.questions.asking;
  if (line !== undefined || isHidden(question)) {
    const label = isHidden(question) ? "  " : line?.for === "reason" ? "  reason: " : "  answer: ";
    const cells = textCells(label);
    const box = lineBox(line?.editor ?? { text: "", cursor: 0 }, Math.max(4, width - cells - 2), isHidden(question));
    const keys =
      line?.for === "reason"
        ? "Enter: deny · Esc: back"
        : isHidden(question)
          ? "Enter: send · Esc: none"
          : "Enter: answer · Esc: back";
    const typed: RowOf = [
      [THEME.dim, label],
      [THEME.text, box.lines[0] ?? ""],
    ];
    const cursor = focused ? { x: cells + box.cursor.x, y: 0 } : undefined;
    return {
      rows: [
        typed,
        [[THEME.dim, truncateToWidth(`  ${isHidden(question) && !focused ? "Alt+A: type it · " : ""}${keys}`, width)]],
      ],
      cursor,
      spots: [],
    };
  }
  const at = chosenAt(state, question);
  if (question.kind !== "clarify") return { ...approvalFoot(state, question, at, width), cursor: undefined };
  const { choices } = question;
  const keys = choices.length === 0 ? "type your answer, Enter sends it" : "1-9: choose · or type your answer";
  const last: RowOf = [
    [THEME.dim, truncateToWidth(`  ${keys}${focused ? " · Esc: no answer" : " · Alt+A: focus"}`, width)],
  ];
  const parts = labelled(choices, at, { width: width - 5, most: height - 3 });
  const style = (index: number) => (index === at ? (focused ? THEME.selection : THEME.bold) : THEME.text);
  const rows = parts.map(({ index, text, first }): RowOf => {
    return [
      [THEME.accent, first ? `  ${choices[index]?.key ?? ""} ` : "    "],
      [style(index), text],
    ];
  });
  return { rows: [...rows, last], cursor: undefined, spots: parts.map(({ index }, y) => ({ y, act: pressed(index) })) };
}

interface Labelled {
  readonly index: number;
  readonly text: string;
  readonly first: boolean;
}

/** Choices one below the other, whole; without the room for that, the marked one alone, as far as it fits. */
function labelled(
  choices: readonly Choice[],
  at: number,
  { width, most }: { readonly width: number; readonly most: number },
): Labelled[] {
  const parts = (label: string, lines: number): readonly string[] => {
    const all = wrap(label, width);
    return all.length <= lines
      ? all
      : [...all.slice(0, lines - 1), truncateToWidth(all.slice(lines - 1).join(" "), width)];
  };
  const room = choices.reduce((sum, { label }) => sum + wrap(label, width).length, 0) <= most ? most : 1;
  const marked = Math.max(1, most - choices.length + 1);
  return choices.flatMap(({ label }, index) =>
    parts(label, index === at ? Math.max(room, marked) : room).map((text, row) => ({ index, text, first: row === 0 })),
  );
}

function approvalFoot(state: State, question: Question, at: number, width: number): Omit<Foot, "cursor"> {
  const { focused, width: reach } = state.questions.asking;
  const choice = question.choices[at];
  const widths = widthsOf(choice);
  const keys = [
    ...(focused ? [] : ["Alt+A: answer"]),
    ...(widths.length > 1 ? ["w: width"] : []),
    ...(question.kind === "approval" ? ["t: deny with a reason", "v: full text"] : ["v: full text", "Ctrl+C: cancel"]),
    ...(question.isCommand ? ["i: why am I asked?"] : []),
    ...(focused && state.questions.open.length > 1 ? ["Alt+A: next"] : []),
  ];
  const answers = flowed(
    question.choices.map((one, index) => choiceSpan(one, index === at, focused)),
    width,
  );
  const rows: readonly RowOf[] = [
    ...answers.rows,
    ...effectRows(choice, reach, width),
    [[THEME.dim, truncateToWidth(`  ${keys.join(" · ")}`, width)]],
  ];
  return { rows, spots: answers.spots };
}

const choiceSpan = ({ label }: Choice, marked: boolean, focused: boolean): Span => [
  marked ? (focused ? THEME.selection : bold(THEME.accent)) : THEME.text,
  marked ? `›${label}‹` : ` ${label} `,
];

/** Side by side, on as many rows as it takes. */
function flowed(spans: readonly Span[], width: number): Omit<Foot, "cursor"> {
  const rows: Span[][] = [[[THEME.text, " "]]];
  const spots: Spot[] = [];
  let used = 1;
  for (const [at, span] of spans.entries()) {
    const cells = textCells(span[1]) + 1;
    if (used + cells > width && used > 1) {
      rows.push([[THEME.text, " "]]);
      used = 1;
    }
    rows.at(-1)?.push(span, [THEME.text, " "]);
    spots.push({ y: rows.length - 1, from: used, to: used + cells - 1, act: pressed(at) });
    used += cells;
  }
  return { rows, spots };
}

const WHERE: Readonly<Record<string, string>> = {
  session: "until the end of this conversation",
  project: "in .agent/permissions.yaml of the project",
  always: "in permissions.yaml of this home",
};
const EFFECTS: Readonly<Record<string, string>> = {
  once: "runs this call; stores nothing",
  edits: "edits inside the project need no approval until the end of this conversation",
  deny: "the command will not run",
};
const CONSENT = {
  copy: "agrees and copies the address; you open it yourself",
  accept: "agrees",
  decline: "does not agree",
} as const;
const REACH = { exact: "exactly this", arguments: "any arguments", directory: "this directory" } as const;

/** What the marked answer does: the rule that it stores, as it will be written. */
function effectRows(choice: Choice | undefined, reach: keyof typeof REACH, width: number): readonly RowOf[] {
  if (choice === undefined) return [];
  if (choice.answer === "copy" || choice.answer === "accept" || choice.answer === "decline")
    return [[[THEME.dim, truncateToWidth(`  ${CONSENT[choice.answer]}`, width)]]];
  if (choice.effect !== undefined) return [[[THEME.dim, truncateToWidth(`  ${choice.effect}`, width)]]];
  const rules = choice.rules[reach] ?? choice.rules.exact;
  if (rules === undefined) return [[[THEME.dim, truncateToWidth(`  ${EFFECTS[choice.answer] ?? ""}`, width)]]];
  const name = widthsOf(choice).length > 1 ? `${REACH[choice.rules[reach] === undefined ? "exact" : reach]}, ` : "";
  const head: RowOf = [[THEME.dim, truncateToWidth(`  saves this rule, ${name}${WHERE[choice.answer] ?? ""}:`, width)]];
  return [
    head,
    ...rules.flatMap((rule) => wrapExact(rule, width - 6)).map((line): RowOf => [[THEME.code, `    ${line}`]]),
  ];
}
