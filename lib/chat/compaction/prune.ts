import type { ToolCall } from "../../contracts/models/model.js";
import type { Item } from "./history.js";

/** Results shorter than this stay as they are. */
const SHORT = 200;
const LONG_ARGUMENT = 500;
const ARGUMENT_KEPT = 200;
const SHOWN = 120;

/** Older results that say exactly what a newer one says become a stub. */
export function withoutDuplicates(items: readonly Item[]): Item[] {
  const newest = new Map<string, number>();
  items.forEach((item, at) => {
    if (item.role === "tool" && item.content.length >= SHORT) newest.set(item.content, at);
  });
  return items.map((item, at) => {
    const again = item.role === "tool" ? newest.get(item.content) : undefined;
    if (again === undefined || again === at) return item;
    return withContent(
      item,
      `[${item.toolName ?? "tool"}] duplicate: a later result of this conversation says the same`,
    );
  });
}

/** What is kept of a message outside the tail: long results as one line, long texts in arguments cut. `callOf` finds the call of a result. */
export function pruned(item: Item, callOf: (result: Item) => ToolCall | undefined): Item {
  if (item.role === "tool") return item.content.length > SHORT ? withContent(item, oneLine(item, callOf(item))) : item;
  const toolCalls = item.toolCalls.map((call) => ({ ...call, arguments: shorterArguments(call.arguments) }));
  if (!toolCalls.some((call, at) => call.arguments !== item.toolCalls[at]?.arguments)) return item;
  return { ...item, toolCalls, changed: { ...item.changed, toolCalls: true } };
}

const withContent = (item: Item, content: string): Item => ({
  ...item,
  content,
  changed: { ...item.changed, content: true },
});

/** The call that a result belongs to, by place: ids may come again in other turns. */
export function callsOf(items: readonly Item[]): (result: Item) => ToolCall | undefined {
  const byResult = new Map<number, ToolCall>();
  let open: readonly ToolCall[] = [];
  for (const item of items) {
    if (item.role === "assistant") open = item.toolCalls;
    const call = item.role === "tool" ? open.find((one) => one.id === item.toolCallId) : undefined;
    if (call !== undefined) byResult.set(item.id, call);
  }
  return (result) => byResult.get(result.id);
}

/** ``[terminal] ran `npm test` -> exit 0, 47 lines`` */
function oneLine(item: Item, call: ToolCall | undefined): string {
  const name = item.toolName ?? call?.name ?? "tool";
  const given = objectOf(call?.arguments ?? "");
  const result = objectOf(item.content);
  const size = `${item.content.length} chars`;
  const text = (member: string) => (typeof given[member] === "string" ? shown(given[member]) : undefined);
  const status = item.status === undefined || item.status === "ok" ? "" : `, ${item.status}`;
  if (name === "terminal" && text("command") !== undefined) {
    const exit = typeof result["exit_code"] === "number" ? `exit ${result["exit_code"]}` : (item.status ?? "ok");
    const output = typeof result["output"] === "string" ? result["output"] : item.content;
    return `[terminal] ran \`${text("command")}\` -> ${exit}, ${lines(output)} lines`;
  }
  if (name === "read_file")
    return `[read_file] read ${text("path") ?? "a file"} from line ${Number(given["offset"] ?? 1)} (${size}${status})`;
  const about = text("path") ?? text("pattern") ?? text("query") ?? text("url") ?? text("command");
  return `[${name}]${about === undefined ? "" : ` ${about}`} -> ${item.status ?? "ok"} (${size})`;
}

const lines = (text: string): number => (text === "" ? 0 : text.replace(/\n$/, "").split("\n").length);

function shown(value: unknown): string {
  const text = String(value).replace(/\s+/g, " ").trim();
  return text.length > SHOWN ? `${[...text.slice(0, SHOWN * 2)].slice(0, SHOWN).join("")}…` : text;
}

function objectOf(json: string): Readonly<Record<string, unknown>> {
  if (!json.startsWith("{")) return {};
  try {
    return JSON.parse(json) as Record<string, unknown>; // JSON text that begins with a brace is an object
  } catch {
    return {}; // plain text that happens to begin with a brace, or arguments that were damaged
  }
}

/** Long texts in arguments cut; the result stays JSON. Invalid JSON is cut as a text would be, and goes out as an empty object anyway. */
function shorterArguments(json: string): string {
  if (json.length <= LONG_ARGUMENT) return json;
  try {
    const value: unknown = JSON.parse(json);
    return JSON.stringify(shorterLeaves(value));
  } catch {
    return json; // ok to lose: the result of this call says that its arguments were not JSON
  }
}

function shorterLeaves(value: unknown): unknown {
  if (typeof value === "string") {
    if (value.length <= LONG_ARGUMENT) return value;
    return `${value.slice(0, ARGUMENT_KEPT).toWellFormed()}… [${value.length - ARGUMENT_KEPT} more chars]`;
  }
  if (Array.isArray(value)) return value.map(shorterLeaves);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shorterLeaves(inner)]));
}
