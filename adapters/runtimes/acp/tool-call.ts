import { isAbsolute, resolve } from "node:path";
import { canonicalJson } from "../../../lib/base/json/canonical-json.js";
import { isRecord } from "../../../lib/base/json/record.js";
import { sha256 } from "../../../lib/base/text/hash.js";

/** Characters of a result. Above, the rest is left out of the transcript. */
const RESULT_CHARS = 100_000;

/** A change of a file as a program shows it. */
export interface FileChange {
  readonly kind: "add" | "update" | "delete";
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Fields of a tool call as far as they are known: every update replaces those that it has. */
export interface CallFields {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly name: string;
  readonly status: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly content: readonly unknown[];
  readonly locations: readonly string[];
  /** Output of its command as it came in pieces, and its exit code, which many programs send in metadata. */
  readonly streamed: string;
  readonly exitCode: unknown;
}

const UNKNOWN: Omit<CallFields, "id"> = {
  title: "",
  kind: "",
  name: "",
  status: "pending",
  input: undefined,
  output: undefined,
  content: [],
  locations: [],
  streamed: "",
  exitCode: undefined,
};

/** The fields with those of an update in their place. Members of another type than the protocol's count as absent. */
export function mergeCall(known: CallFields | undefined, update: Record<string, unknown>): CallFields {
  const before = known ?? { ...UNKNOWN, id: textOf(update["toolCallId"]) };
  const text = (member: string, old: string): string => textOf(update[member]) || old;
  const { content, locations } = update;
  return {
    id: before.id,
    title: text("title", before.title),
    kind: text("kind", before.kind),
    name: text("name", before.name),
    status: text("status", before.status),
    input: update["rawInput"] ?? before.input,
    output: update["rawOutput"] ?? before.output,
    content: Array.isArray(content) ? content : before.content,
    locations: Array.isArray(locations) ? pathsIn(locations) : before.locations,
    streamed: (before.streamed + streamedIn(update)).slice(0, RESULT_CHARS),
    exitCode: metaOf(update, "terminal_exit")?.["exit_code"] ?? before.exitCode,
  };
}

function metaOf(update: Record<string, unknown>, member: string): Record<string, unknown> | undefined {
  const meta = update["_meta"];
  const found = isRecord(meta) ? meta[member] : undefined;
  return isRecord(found) ? found : undefined;
}

const streamedIn = (update: Record<string, unknown>): string =>
  textOf((metaOf(update, "terminal_output_delta") ?? metaOf(update, "terminal_output"))?.["data"]);

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const pathsIn = (locations: readonly unknown[]): readonly string[] =>
  locations.flatMap((location) =>
    isRecord(location) && typeof location["path"] === "string" ? [location["path"]] : [],
  );

const WRITES = new Set(["edit", "delete", "move"]);

/** What kind of thing it does, in the words of approvals. */
export function natureOf(call: CallFields): "command" | "write" | "tool" {
  if (mcpOf(call) !== undefined) return "tool";
  if (call.kind === "execute") return "command";
  return WRITES.has(call.kind) || call.content.some(isDiff) ? "write" : "tool";
}

const isDiff = (item: unknown): item is Record<string, unknown> & { path: string } =>
  isRecord(item) && item["type"] === "diff" && typeof item["path"] === "string";

/**
 * Server and tool of a call to an MCP server, where the program says so in a field of its own. Some programs give such calls the kind of
 * commands; what has a
 * command line or changes files is none.
 */
export function mcpOf(call: CallFields): { readonly server: string; readonly tool: string } | undefined {
  if (WRITES.has(call.kind) || call.content.some(isDiff)) return undefined;
  const named = /^mcp__(.+?)__(.+)$/.exec(call.name) ?? /^mcp\.([^.]+)\.(.+)$/.exec(call.name);
  if (named?.[1] !== undefined && named[2] !== undefined && call.kind !== "execute")
    return { server: named[1], tool: named[2] };
  const { input } = call;
  if (!isRecord(input) || "command" in input || "cmd" in input) return undefined;
  const server = textOf(input["server"]) || textOf(input["serverName"]);
  // A question of a server names no tool.
  const tool = textOf(input["tool"]) || textOf(input["toolName"]) || ("serverName" in input ? "elicitation" : "");
  return server === "" || tool === "" ? undefined : { server, tool };
}

/** Name of its tool, as hooks, rules and the transcript have it. */
export function toolOf(call: CallFields): string {
  const mcp = mcpOf(call);
  if (mcp !== undefined) return `mcp.${mcp.server}.${mcp.tool}`;
  const nature = natureOf(call);
  if (nature === "command") return "exec_command";
  if (nature === "write") return "apply_patch";
  return (call.name || call.kind || "other").replace(/[^A-Za-z0-9_.-]/g, "_");
}

/** The command line that runs; its title where the program gives none. */
export function commandOf(call: CallFields): string {
  const given = isRecord(call.input) ? (call.input["command"] ?? call.input["cmd"]) : call.input;
  if (typeof given === "string") return given;
  return Array.isArray(given) ? given.map(String).join(" ") : call.title;
}

/** Files that it changes, absolute. */
export function changesOf(call: CallFields, cwd: string): readonly FileChange[] {
  const diffs = call.content.filter(isDiff).map((diff): FileChange => {
    const before = textOf(diff["oldText"]);
    const after = textOf(diff["newText"]);
    const meta = isRecord(diff["_meta"]) ? diff["_meta"]["kind"] : undefined;
    return { kind: changeKind(call, { before, after, meta }), path: absolute(diff.path, cwd), before, after };
  });
  if (diffs.length > 0 || !WRITES.has(call.kind)) return diffs;
  const kind = call.kind === "delete" ? "delete" : "update";
  return call.locations.map((path) => ({ kind, path: absolute(path, cwd), before: "", after: "" }));
}

function changeKind(
  call: CallFields,
  diff: { readonly before: string; readonly after: string; readonly meta: unknown },
): FileChange["kind"] {
  if (diff.meta === "add" || diff.meta === "update" || diff.meta === "delete") return diff.meta;
  if (diff.before === "") return "add";
  return call.kind === "delete" && diff.after === "" ? "delete" : "update";
}

const absolute = (path: string, cwd: string): string => (isAbsolute(path) ? path : resolve(cwd, path));

/** Arguments of the call in the transcript, with sorted keys. */
export function argumentsOf(call: CallFields, cwd: string): string {
  const mcp = mcpOf(call);
  if (mcp !== undefined && isRecord(call.input)) return canonicalJson(call.input["arguments"] ?? call.input);
  const nature = natureOf(call);
  if (nature === "command") return canonicalJson({ command: commandOf(call), cwd: directoryOf(call, cwd) });
  if (nature === "write")
    return canonicalJson({ changes: changesOf(call, cwd).map(({ kind, path }) => ({ kind, path })) });
  return isRecord(call.input)
    ? canonicalJson(call.input)
    : canonicalJson({ title: call.title, input: call.input, locations: call.locations });
}

/** Directory of a command. */
export function directoryOf(call: CallFields, cwd: string): string {
  const given = isRecord(call.input) ? textOf(call.input["cwd"]) || textOf(call.input["workdir"]) : "";
  return given === "" ? cwd : absolute(given, cwd);
}

const JSON_CHARS = 4_000;
const ERROR_CHARS = 1_000;

/** What it gave, as the result of the call. */
export function resultOf(call: CallFields): string {
  const texts = call.content.flatMap((item) =>
    isRecord(item) && item["type"] === "content" ? [blockText(item["content"])] : [],
  );
  const said = texts.filter((text) => text !== "").join("\n");
  const text = cut(said || call.streamed || outputText(call.output), RESULT_CHARS);
  const { exitCode, exit_code: exitStatus } = isRecord(call.output) ? call.output : {};
  const code = call.exitCode ?? exitCode ?? exitStatus;
  return typeof code === "number" && code !== 0 ? `[exit code ${code}]\n${text}` : text;
}

const OUTPUT_MEMBERS = ["formatted_output", "aggregated_output", "output", "stdout", "content", "text"];

function outputText(output: unknown): string {
  if (isRecord(output) && Object.keys(output).every((member) => /^exit_?code$/i.test(member))) return "";
  if (typeof output === "string") return output;
  if (isRecord(output) && "result" in output && "error" in output) return mcpText(output);
  if (output === undefined || output === null) return "";
  if (isRecord(output)) {
    const found = OUTPUT_MEMBERS.map((member) => output[member]).find((value) => typeof value === "string");
    if (typeof found === "string") return found;
  }
  return cut(canonicalJson(output), JSON_CHARS);
}

/** Result of a tool of an MCP server (extensions part, 8.4). */
function mcpText({ result, error }: Record<string, unknown>): string {
  if (error === null || error === undefined) return cut(canonicalJson(result), JSON_CHARS);
  const said = isRecord(error) ? textOf(error["message"]) || canonicalJson(error) : String(error);
  return `[error] ${said}`.slice(0, ERROR_CHARS);
}

/** A content block as text. */
export function blockText(block: unknown): string {
  if (!isRecord(block)) return "";
  switch (block["type"]) {
    case "text":
      return textOf(block["text"]);
    case "image":
      return "[image attached]";
    case "audio":
      return "[audio attached]";
    case "resource_link":
      return textOf(block["uri"]);
    case "resource":
      return isRecord(block["resource"]) ? textOf(block["resource"]["text"]) || textOf(block["resource"]["uri"]) : "";
    default:
      return "";
  }
}

/** The text, or its beginning with a mark that says what is missing. */
export const cut = (text: string, most: number): string =>
  text.length <= most ? text : noteMissing(text.slice(0, most), text.length - most);

/** The beginning of a text with a mark that says how many characters follow. */
export const noteMissing = (text: string, missing: number): string =>
  missing === 0 ? text : `${text}\n[... ${missing} more characters]`;

const ID_CHARS = 64;

/** Id of the call in the transcript. `use` tells apart the calls of a program that uses an id again. */
export function callIdOf(id: string, use: number): string {
  const whole = `acp_${id.replace(/[^A-Za-z0-9_-]/g, "_")}${use > 1 ? `_${use}` : ""}`;
  return whole.length <= ID_CHARS ? whole : `${whole.slice(0, ID_CHARS - 9)}_${sha256(`${id}#${use}`).slice(0, 8)}`;
}
