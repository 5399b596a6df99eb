import { cageNotice } from "../../lib/contracts/config/cage.js";
import { plain } from "../chat/look/look.js";
import type { ChatItem } from "../chat/state.js";
import type { RowOf } from "../draw/canvas.js";
import { THEME } from "../draw/theme.js";
import { truncateToWidth } from "../draw/width.js";
import type { State } from "../model/state.js";
import { servingModel } from "../start/serving.js";

/** Core part, 11.4. */
const EXCHANGES = 10;
const USER_CHARS = 300;
const ANSWER_CHARS = 200;
const ANSWER_LINES = 3;

/** One block: what runs here, with what, and one thing to try. */
export function startRows(state: State, width: number): readonly RowOf[] {
  const { inline, session, start } = state;
  if (inline === undefined) return [];
  const cage = start?.cage;
  const model = servingModel(state);
  const facts = [
    ...(model === "" ? [] : [model]),
    inline.cwd,
    `session ${session.id ?? ""}`,
    ...(inline.tools === undefined || inline.tools === 0 ? [] : [`${inline.tools} tools`]),
    ...(cage === undefined || cage.state !== "on" ? [] : ["caged"]),
  ];
  const tip = model.startsWith("offline")
    ? "Using the offline assistant, which follows fixed rules. To add a model, quit and run agent setup. Try: list files"
    : "Type /help for commands, F1 for keys. Ctrl+C interrupts; press it twice to quit.";
  return [
    [
      [THEME.accent, `agent ${inline.version}`],
      [THEME.dim, ""],
    ],
    ...facts.map((fact): RowOf => [[THEME.dim, truncateToWidth(`  ${fact}`, width)]]),
    ...(cage === undefined || cage.state === "on" ? [] : plain(`  ${cageNotice(cage)}`, THEME.dim, width)),
    ...plain(`  ${tip}`, THEME.dim, width),
  ];
}

/** The last exchanges of a conversation that is taken up, in short; exchanges of tools alone are left out. */
export function recapRows(items: readonly ChatItem[], width: number): readonly RowOf[] {
  const exchanges = exchangesOf(items).slice(-EXCHANGES);
  if (exchanges.length === 0) return [];
  return [
    [],
    [[THEME.dim, "── before ──"]],
    ...exchanges.flatMap(({ user, answer }) => [
      ...plain(`you: ${short(user, USER_CHARS, USER_CHARS)}`, THEME.dim, width),
      ...plain(`agent: ${short(answer, ANSWER_CHARS, ANSWER_LINES)}`, THEME.dim, width),
    ]),
    [[THEME.dim, "────────────"]],
  ];
}

interface Exchange {
  readonly user: string;
  readonly answer: string;
}

function exchangesOf(items: readonly ChatItem[]): readonly Exchange[] {
  const all: { user: string; answer: string }[] = [];
  for (const item of items) {
    if (item.kind === "user") all.push({ user: item.text, answer: "" });
    const last = all.at(-1);
    if (item.kind === "answer" && last !== undefined) last.answer = item.text;
  }
  return all.filter(({ answer }) => answer !== "");
}

function short(text: string, chars: number, lines: number): string {
  const cut = text.trim().split("\n").slice(0, lines).join(" ");
  const all = [...cut];
  return all.length > chars || cut.length < text.trim().length ? `${all.slice(0, chars).join("").trimEnd()}…` : cut;
}
