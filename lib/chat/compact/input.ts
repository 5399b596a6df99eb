import { toIso } from "../../base/units.js";
import type { Item } from "./history.js";

const LINE = { most: 6_000, head: 4_000, tail: 1_500 };
const ARGUMENTS = { most: 1_500, kept: 1_200 };

/** The middle of a conversation as its summariser reads it, with a line for each new day (core part, 8.3, step 5). */
export function inputLines(items: readonly Item[], redact: (text: string) => string): string[] {
  let day = "";
  return items.flatMap((item) => {
    const today = toIso(item.at).slice(0, 10);
    const dated = today === day ? [] : [`--- ${today} ---`];
    day = today;
    return [...dated, redact(lineOf(item))];
  });
}

function lineOf(item: Item): string {
  if (item.role === "user") return `[USER]: ${cutLine(item.content)}`;
  if (item.role === "tool") return `[TOOL RESULT ${item.toolCallId ?? ""}]: ${cutLine(item.content)}`;
  const calls = item.toolCalls.map((call) => `  calls ${call.name}(${cutArguments(call.arguments)}) id ${call.id}`);
  return [`[ASSISTANT]: ${cutLine(item.content)}`, ...calls].join("\n");
}

function cutLine(text: string): string {
  if (text.length <= LINE.most) return text;
  const left = text.length - LINE.head - LINE.tail;
  return `${text.slice(0, LINE.head).toWellFormed()}\n… [${left} chars left out] …\n${text.slice(-LINE.tail).toWellFormed()}`;
}

const cutArguments = (json: string): string =>
  json.length <= ARGUMENTS.most ? json : `${json.slice(0, ARGUMENTS.kept).toWellFormed()}… [${json.length - ARGUMENTS.kept} more chars]`;

/** The lines as one text of at most `most` characters; the oldest give way, and a line says so. */
export function joinLines(lines: readonly string[], most: number): string {
  let size = 0;
  let from = lines.length;
  while (from > 0 && size + (lines[from - 1]?.length ?? 0) + 1 <= most) {
    from -= 1;
    size += (lines[from]?.length ?? 0) + 1;
  }
  const left = from === 0 ? [] : [`[${from} earlier lines are left out here: they do not fit]`];
  return [...left, ...lines.slice(from)].join("\n");
}
