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
  json.length <= ARGUMENTS.most
    ? json
    : `${json.slice(0, ARGUMENTS.kept).toWellFormed()}… [${json.length - ARGUMENTS.kept} more chars]`;

/** The lines as texts of at most `most` characters each; a longer line stands alone. */
export function portions(lines: readonly string[], most: number): readonly string[] {
  const texts: string[] = [];
  let open: string[] = [];
  let size = 0;
  for (const line of lines) {
    if (open.length > 0 && size + line.length + 1 > most) {
      texts.push(open.join("\n"));
      open = [];
      size = 0;
    }
    open.push(line);
    size += line.length + 1;
  }
  return [...texts, open.join("\n")];
}
