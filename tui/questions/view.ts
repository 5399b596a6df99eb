import { type RowOf, wrap } from "../canvas.js";
import type { State } from "../state.js";
import { THEME } from "../theme.js";
import { fit } from "../width.js";
import type { Question } from "./question.js";
import { chosen } from "./update.js";

const BODY_ROWS = 10; // workspace part, 7.5

/** The panel of the oldest open question, at most `height` rows. The command is there in full, a part of it at a time. */
export function questionRows(state: State, width: number, height: number): readonly RowOf[] {
  const [question] = state.questions.open;
  if (question === undefined) return [];
  const foot = footRows(state, question, width);
  const detail = question.details.flatMap((text) => wrap(text, width - 2)).map((text): RowOf => [[THEME.dim, `  ${text}`]]);
  const head: RowOf = [[THEME.warn, fit(`? ${question.title}${countOf(state, question)}`, width)]];
  const room = Math.max(1, Math.min(BODY_ROWS, height - foot.length - 1));
  const body = bodyRows(state, question, width, room);
  const left = Math.max(0, height - 1 - body.length - foot.length);
  return [head, ...body, ...detail.slice(0, left), ...foot].slice(0, height);
}

function countOf(state: State, question: Question): string {
  const more = state.questions.open.length > 1 ? ` (1 of ${state.questions.open.length})` : "";
  const seconds = question.expiresAt === undefined || state.wall === 0 ? undefined : Math.ceil((question.expiresAt - state.wall) / 1000);
  return `${more}${seconds === undefined ? "" : ` · ${Math.max(0, seconds)} s`}`;
}

/** Every line of the command and of what a write would change; `⏎` marks a line end that the command has. */
function bodyRows(state: State, question: Question, width: number, room: number): readonly RowOf[] {
  const lines = question.body.split("\n");
  const shown = lines.flatMap((line, at) => wrap(at < lines.length - 1 ? `${line}⏎` : line, width - 2));
  const diff =
    question.diff === "" ? [] : question.diff.split("\n").flatMap((line) => wrap(line, width - 2).map((part) => diffRow(part, line)));
  const all: RowOf[] = [...shown.map((line): RowOf => [[THEME.code, `  ${line}`]]), ...diff];
  if (all.length <= room) return all;
  const top = Math.min(state.questions.asking.top, all.length - room + 1);
  const more = all.length - room + 1 - top;
  return [...all.slice(top, top + room - 1), [[THEME.warn, `  ${more > 0 ? `↓ ${more} more lines` : "the end"}, ↑↓ scroll`]]];
}

const diffRow = (part: string, line: string): RowOf => [
  [line.startsWith("+") ? THEME.ok : line.startsWith("-") ? THEME.error : THEME.dim, `  ${part}`],
];

function footRows(state: State, question: Question, width: number): readonly RowOf[] {
  const { typed, focused } = state.questions.asking;
  if (question.kind === "password" || question.kind === "secret")
    return [[[THEME.text, fit(`  ${"•".repeat([...(typed ?? "")].length)}  Enter: send · Esc: none`, width)]]];
  if (typed !== undefined) return [[[THEME.text, fit(`  reason: ${typed}▏  Enter: deny · Esc: back`, width)]]];
  const at = chosen(state, question);
  const picks = question.choices.map((choice, index): [number, string] => [
    focused && index === at ? THEME.selection : THEME.accent,
    `${choice.label}  `,
  ]);
  const keys = question.kind === "clarify" ? "type an answer, or a digit · Esc: none" : focused ? "t: with a reason" : "Alt+A: choose";
  const rules = focused ? (question.choices[at]?.rules ?? []).map((rule): RowOf => [[THEME.dim, fit(`  stores ${rule}`, width)]]) : [];
  return [[[THEME.text, "  "], ...picks, [THEME.dim, keys]], ...rules];
}
