import { canonicalJson } from "../../../lib/base/json/canonical-json.js";
import { isRecord } from "../../../lib/base/json/record.js";
import { sha256 } from "../../../lib/base/text/hash.js";
import type { RuntimeItem } from "../../../lib/contracts/runtimes/runtime.js";
import { headText } from "../../../lib/safety/redact/text.js";

type Item = Readonly<Record<string, unknown>>;
type Messages = RuntimeItem["messages"];

const RESULT_CHARS = 4_000;
const ERROR_CHARS = 1_000;
const NOTE_CHARS = 1_500;
const ID_CHARS = 64;

/** Status of a call whose turn is over before the program has told its end. The program has no word for it. */
export const INTERRUPTED = "interrupted";

/** A call of a tool, as an item tells it. */
export interface ItemCall {
  readonly id: string;
  readonly tool: string;
  readonly args: unknown;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Deterministic id of a call: the same item has the same id, whenever it is projected (extensions part, 8.4). */
export function callIdOf(kind: string, itemId: string): string {
  const id = `as_${kind}_${itemId}`;
  const plain = id.replace(/[^A-Za-z0-9_-]/g, "_");
  return plain.length <= ID_CHARS ? plain : `${plain.slice(0, ID_CHARS - 9)}_${sha256(id).slice(0, 8)}`;
}

/** The call that an item is; undefined: it is none. */
export function callOf(item: Item): ItemCall | undefined {
  const id = text(item["id"]);
  switch (item["type"]) {
    case "commandExecution": {
      const args = { command: text(item["command"]), cwd: text(item["cwd"]) };
      return { id: callIdOf("exec", id), tool: "exec_command", args };
    }
    case "fileChange":
      return { id: callIdOf("apply_patch", id), tool: "apply_patch", args: { changes: changesOf(item) } };
    case "mcpToolCall": {
      const server = text(item["server"]);
      const tool = text(item["tool"]);
      return {
        id: callIdOf(`mcp_${server}_${tool}`, id),
        tool: `mcp.${server}.${tool}`,
        args: item["arguments"] ?? {},
      };
    }
    case "dynamicToolCall": {
      const tool = text(item["tool"]);
      return { id: callIdOf(`dyn_${tool}`, id), tool, args: item["arguments"] ?? {} };
    }
    default:
      return undefined;
  }
}

const changesOf = (item: Item) =>
  list(item["changes"])
    .filter(isRecord)
    .map(({ path, kind }) => ({ kind: isRecord(kind) ? text(kind["type"]) : text(kind), path: text(path) }));

/** Whether the call of a finished item did what it should. */
export const succeeded = (item: Item): boolean =>
  !["failed", "declined", INTERRUPTED].includes(text(item["status"])) && item["success"] !== false;

/** The result of a call, as the transcript keeps it. */
function resultOf(item: Item): string {
  if (item["status"] === INTERRUPTED) return `[interrupted]\n${text(item["aggregatedOutput"])}`.trimEnd();
  switch (item["type"]) {
    case "commandExecution": {
      const code = item["exitCode"];
      const output = text(item["aggregatedOutput"]);
      if (item["status"] === "declined") return `[declined by user]${output === "" ? "" : `\n${output}`}`;
      return typeof code === "number" && code !== 0 ? `[exit code ${code}]\n${output}` : output;
    }
    case "fileChange": {
      const count = changesOf(item).length;
      return `${text(item["status"])}: ${count} ${count === 1 ? "file" : "files"}`;
    }
    case "mcpToolCall": {
      const error = isRecord(item["error"]) ? text(item["error"]["message"]) : "";
      if (error !== "") return `[error] ${headText(error, ERROR_CHARS)}`;
      const { content, structuredContent = undefined } = isRecord(item["result"]) ? item["result"] : {};
      const structured = structuredContent === null ? undefined : structuredContent;
      return headText(canonicalJson({ content, structuredContent: structured }), RESULT_CHARS);
    }
    default: {
      const result = headText(canonicalJson(item["contentItems"] ?? []), RESULT_CHARS);
      return item["success"] === false ? `[error] ${headText(result, ERROR_CHARS)}` : result;
    }
  }
}

/** Items without a form of their own that bring words of others: pages, and what agents of the program have read. */
const FOREIGN: ReadonlySet<unknown> = new Set(["webSearch", "subAgentActivity", "collabAgentToolCall"]);

const statusOf = (item: Item): "ok" | "error" | "denied" | "interrupted" => {
  if (item["status"] === "declined") return "denied";
  if (item["status"] === INTERRUPTED) return "interrupted";
  return succeeded(item) ? "ok" : "error";
};

function callMessages(item: Item, call: ItemCall, reasoning: string | undefined): Messages {
  const ms = item["durationMs"];
  return [
    {
      role: "assistant",
      content: "",
      toolCalls: [{ id: call.id, name: call.tool, arguments: canonicalJson(call.args) }],
      ...(reasoning === undefined ? {} : { reasoning }),
    },
    {
      role: "tool",
      content: resultOf(item),
      toolCallId: call.id,
      toolName: call.tool,
      status: statusOf(item),
      ...(typeof ms === "number" && ms >= 0 ? { durationMs: ms } : {}),
    },
  ];
}

/** What was said by the user: texts, and a mark for each picture. */
const inputOf = (item: Item): string =>
  list(item["content"])
    .filter(isRecord)
    .map((part) => (part["type"] === "text" ? text(part["text"]) : "[image attached]"))
    .join("\n");

const reasoningOf = (item: Item): string => {
  const summary = list(item["summary"]).map(text).filter(Boolean);
  return (summary.length > 0 ? summary : list(item["content"]).map(text).filter(Boolean)).join("\n\n");
};

/** A note about what has no form of its own. Times differ from run to run and say nothing. */
function noteOf(item: Item): string {
  const { type, id: _, startedAtMs: __, completedAtMs: ___, ...rest } = item;
  return `[app-server ${text(type)}] ${headText(canonicalJson(rest), NOTE_CHARS)}`;
}

/** Turns finished items of one turn into messages. The same items give the same bytes. */
export interface Projector {
  /** Undefined: the item adds nothing to the transcript. */
  project(item: Item): RuntimeItem | undefined;
  /** Last text of the agent so far. */
  answer(): string;
}

export function createProjector(): Projector {
  let echoed = false;
  let held: string[] = [];
  let answer = "";
  const reasoning = (): string | undefined => {
    const all = held.join("\n\n");
    held = [];
    return all === "" ? undefined : all;
  };
  const messages = (item: Item): Messages => {
    const call = callOf(item);
    if (call !== undefined) return callMessages(item, call, reasoning());
    switch (item["type"]) {
      case "userMessage": {
        const first = !echoed;
        echoed = true;
        return first ? [] : [{ role: "user", content: inputOf(item) }];
      }
      case "reasoning":
        held.push(reasoningOf(item));
        return [];
      case "agentMessage": {
        answer = text(item["text"]);
        const thought = reasoning();
        return [{ role: "assistant", content: answer, ...(thought === undefined ? {} : { reasoning: thought }) }];
      }
      default:
        return [{ role: "assistant", content: noteOf(item) }];
    }
  };
  return {
    answer: () => answer,
    project: (item) => {
      const told = messages(item);
      if (told.length === 0) return undefined;
      const changed = item["type"] === "fileChange" && succeeded(item) ? changesOf(item).map(({ path }) => path) : [];
      const paths = changed.filter((path) => path.startsWith("/"));
      return {
        key: text(item["id"]),
        messages: told,
        ...(paths.length === 0 ? {} : { changed: paths }),
        ...(FOREIGN.has(item["type"]) ? { foreign: true } : {}),
      };
    },
  };
}
