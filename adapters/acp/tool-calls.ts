import { isAbsolute, resolve } from "node:path";
import type { ToolCallContent, ToolCallLocation, ToolCallStatus, ToolKind } from "@agentclientprotocol/sdk";
import { isRecord, jsonOf } from "../../lib/base/json/record.js";

/** What kind of icon an editor shows for a tool. */
const KINDS: ReadonlyMap<string, ToolKind> = new Map<string, ToolKind>([
  ["read_file", "read"],
  ["skill_view", "read"],
  ["skills_list", "read"],
  ["vision_analyze", "read"],
  ["write_file", "edit"],
  ["patch", "edit"],
  ["search_files", "search"],
  ["session_search", "search"],
  ["tool_search", "search"],
  ["terminal", "execute"],
  ["process", "execute"],
  ["execute_code", "execute"],
  ["web_search", "fetch"],
  ["web_extract", "fetch"],
  ["todo", "think"],
  ["memory", "think"],
]);

/** The kind of a call as the protocol names it. */
export function toKind(tool: string): ToolKind {
  return KINDS.get(tool) ?? (tool.startsWith("browser_") ? "fetch" : "other");
}

/** Most characters of a result that an editor is sent. */
const MOST_CHARS = 50_000;

type Args = Readonly<Record<string, unknown>>;

/** The arguments of a call; none where they were cut or are not an object. */
export function parseArgs(text: unknown): Args {
  const parsed = typeof text === "string" ? jsonOf(text) : undefined;
  return isRecord(parsed) ? parsed : {};
}

/** What an editor shows as the name of a call: the tool, and what it is about. */
export function titleOf(tool: string, preview: unknown): string {
  const about = typeof preview === "string" ? preview.replaceAll(/\s+/g, " ").trim() : "";
  if (about === "") return tool;
  return toKind(tool) === "execute" ? about : `${tool}: ${about}`;
}

/** Files that a call is about, for an editor that follows along. */
export function locationsOf(args: Args, cwd: string): ToolCallLocation[] {
  const { path, offset } = args;
  if (typeof path !== "string" || path === "" || path.startsWith("~")) return [];
  const line = typeof offset === "number" && Number.isInteger(offset) && offset > 0 ? { line: offset } : {};
  return [{ path: isAbsolute(path) ? path : resolve(cwd, path), ...line }];
}

/** A call has ended: as the protocol knows it. */
export const toStatus = (status: unknown): ToolCallStatus => (status === "ok" ? "completed" : "failed");

export const textContent = (text: string): ToolCallContent => ({ type: "content", content: { type: "text", text } });

/** The end of a long text, which is where a command says how it went. */
export function lastOf(text: string): string {
  return text.length > MOST_CHARS ? `[...]\n${text.slice(-MOST_CHARS)}` : text;
}

/** What a result shows: its changes of files as differences, else its text. */
export function resultContent(tool: string, content: string, cwd: string): ToolCallContent[] {
  const result = parseArgs(content);
  if (toKind(tool) === "edit" && typeof result["diff"] === "string") {
    const diffs = diffsOf(result["diff"], cwd);
    if (diffs.length > 0) return diffs;
  }
  if (tool === "terminal" && typeof result["output"] === "string") return [textContent(lastOf(result["output"]))];
  if (tool === "read_file" && typeof result["content"] === "string") return [textContent(lastOf(result["content"]))];
  return content === "" ? [] : [textContent(lastOf(content))];
}

interface Hunk {
  readonly old: string[];
  readonly fresh: string[];
  /** Lines that are still to come of the old and of the new text. */
  oldLeft: number;
  freshLeft: number;
}

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/**
 * The hunks of a unified difference. The protocol wants old and new text of a change and not the difference; each hunk is a change of its own, with
 * the lines around it.
 */
export function diffsOf(diff: string, cwd: string): ToolCallContent[] {
  const found: { readonly path: string; readonly hunk: Hunk }[] = [];
  let path: string | undefined;
  let hunk: Hunk | undefined;
  for (const line of diff.split("\n")) {
    if (hunk !== undefined && hunk.oldLeft + hunk.freshLeft > 0) {
      addLine(hunk, line);
      continue;
    }
    const [head, old = "1", fresh = "1"] = HUNK.exec(line) ?? [];
    if (head === undefined) path = nameIn(line) ?? path;
    else if (path !== undefined) {
      hunk = { old: [], fresh: [], oldLeft: Number(old), freshLeft: Number(fresh) };
      found.push({ path, hunk });
    }
  }
  return found.map((one) => ({
    type: "diff",
    path: resolve(cwd, one.path),
    oldText: one.hunk.old.length === 0 ? null : one.hunk.old.join("\n"),
    newText: one.hunk.fresh.join("\n"),
  }));
}

function addLine(hunk: Hunk, line: string): void {
  const sign = line[0] ?? " ";
  const rest = line.slice(1);
  if (sign === "-" || sign === " ") {
    hunk.old.push(rest);
    hunk.oldLeft -= 1;
  }
  if (sign === "+" || sign === " ") {
    hunk.fresh.push(rest);
    hunk.freshLeft -= 1;
  }
}

/** The path of a line `--- a/x` or `+++ b/x`; undefined: the line names none. */
function nameIn(line: string): string | undefined {
  if (!line.startsWith("--- ") && !line.startsWith("+++ ")) return undefined;
  const name = (line.slice(4).split("\t")[0] ?? "").trim();
  if (name === "" || name === "/dev/null") return undefined;
  return /^[ab]\//.test(name) ? name.slice(2) : name;
}
