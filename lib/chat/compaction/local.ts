import type { Item } from "./history.js";

/** Longest summary that the program writes by itself, in characters (core part, 8.3). */
const MOST = 8_000;
const EARLIER = 3_000;
const ASKS = 6;
const ACTIONS = 30;
const PATHS = 40;
const ERRORS = 6;
const TURNS = 4;
const SHORT = 240;

/** What can be said of the removed part without a model: last requests, actions, files, errors, and the newest turns in short. */
export function localSummary(
  middle: readonly Item[],
  earlier: string | undefined,
  redact: (text: string) => string,
): string {
  const parts: readonly (readonly [string, readonly string[]])[] = [
    ["What an earlier summary said", earlier === undefined ? [] : [cut(earlier, EARLIER)]],
    ["Requests of the user, newest last", last(textsOf(middle, "user"), ASKS)],
    ["Relevant Files", last([...new Set(middle.flatMap(pathsOf))], PATHS)],
    ["Errors", last(errorsOf(middle), ERRORS)],
    ["Completed Actions", last(middle.flatMap(actionsOf), ACTIONS)],
    ["The last removed messages", last(middle.map(shortOf), TURNS * 2)],
  ];
  const text = ["This summary was made without a model; it lists and does not judge."];
  let room = MOST - (text[0]?.length ?? 0);
  for (const [title, lines] of parts) {
    const section = sectionOf(title, lines.map(redact), room);
    room -= section.length + 2;
    if (section !== "") text.push(section);
  }
  return text.join("\n\n");
}

/** The newest lines give way last. */
function sectionOf(title: string, lines: readonly string[], room: number): string {
  const heading = `## ${title}`;
  const kept: string[] = [];
  let left = room - heading.length - 4;
  for (const line of lines.toReversed()) {
    if (line.length + 1 > left) break;
    kept.unshift(line);
    left -= line.length + 1;
  }
  return kept.length === 0 ? "" : [heading, ...kept].join("\n");
}

const last = (lines: readonly string[], count: number): readonly string[] => lines.slice(-count);

const textsOf = (items: readonly Item[], role: Item["role"]): readonly string[] =>
  items
    .filter((item) => item.role === role && item.content.trim() !== "")
    .map(({ content }) => `- ${oneLine(content)}`);

const actionsOf = ({ toolCalls }: Item): readonly string[] =>
  toolCalls.map((call) => `- ${call.name} ${oneLine(call.arguments)}`);

const errorsOf = (items: readonly Item[]): readonly string[] =>
  items
    .filter(({ role, status }) => role === "tool" && status === "error")
    .map(({ toolName, content }) => `- ${toolName ?? "tool"}: ${oneLine(content)}`);

function pathsOf({ toolCalls }: Item): readonly string[] {
  return toolCalls.flatMap(({ arguments: json }) =>
    [...json.matchAll(/"(?:path|file_path|workdir)"\s*:\s*"((?:[^"\\]|\\.){1,300})"/g)].map(
      (found) => `- ${found[1] ?? ""}`,
    ),
  );
}

const NAMES = { user: "[USER]", assistant: "[ASSISTANT]", tool: "[TOOL RESULT]", system: "[SYSTEM]" } as const;

const shortOf = (item: Item): string =>
  `${NAMES[item.role]}: ${oneLine(item.content === "" ? (actionsOf(item)[0] ?? "") : item.content)}`;

const oneLine = (text: string): string => cut(text.replace(/\s+/g, " ").trim(), SHORT);

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
