import { removeUntrustedMark } from "../../tools/core/untrusted.js";

/** How results of tools are shown. Results are JSON where the tool answers in JSON, else plain text. */
export type Show = (result: ToolAnswer) => string;

export interface ToolAnswer {
  /** The result as the model reads it. */
  readonly text: string;
  /** Its members when it is one JSON object; empty otherwise. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A person reads what is shown, so that the label for models is left out. */
export function readAnswer(content: string): ToolAnswer {
  const text = removeUntrustedMark(content);
  return { text, fields: fieldsOf(text) };
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** What went wrong in a call, or undefined when it worked. */
export function failureOf({ text, fields }: ToolAnswer): string | undefined {
  const error = fields["error"];
  if (typeof error === "string" && error !== "") return error;
  if (typeof error === "object" && error !== null && "message" in error) return String(error.message);
  if (fields["success"] === false) return text;
  return /^(Error|Refus|Skipped|BLOCKED|Tool ')/.test(text) ? text : undefined;
}

const str = (value: unknown) => (typeof value === "string" ? value : undefined);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const member = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && name in value
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;

export const showRaw: Show = ({ text }) => text;

export const showFiles: Show = ({ fields, text }) => {
  if (!Array.isArray(fields["files"])) return text;
  const names = list(fields["files"]).map((entry) => str(entry) ?? str(member(entry, "path")) ?? JSON.stringify(entry));
  return names.length === 0
    ? "No files found."
    : `${names.join("\n")}${fields["truncated"] === true ? "\n... and more" : ""}`;
};

export const showMatches: Show = ({ fields, text }) => {
  if (!Array.isArray(fields["matches"])) return text;
  const lines = list(fields["matches"]).map(
    (match) => `${member(match, "path")}:${member(match, "line")}: ${member(match, "content")}`,
  );
  return lines.length === 0 ? "No matches." : lines.join("\n");
};

/** The numbers in front of the lines are for editing, not for reading. */
export const showContent: Show = ({ fields, text }) => {
  const content = str(fields["content"]);
  if (str(fields["type"])?.startsWith("image/") === true) return pictureText(fields);
  if (content === undefined) return str(fields["message"]) ?? text;
  return content.replace(/^ *\d+\|/gm, "");
};

/** What it says in place of what a picture shows. */
export const NO_SIGHT = "The offline assistant does not see pictures.";

function pictureText({ path, type, width, height, file_size: bytes }: ToolAnswer["fields"]): string {
  const pixels = width === undefined ? "" : `, ${String(width)}x${String(height)} pixels`;
  return `${String(path)}: ${String(type)}${pixels}, ${String(bytes)} bytes. ${NO_SIGHT}`;
}

export const showTerminal: Show = ({ fields, text }) => {
  const output = str(fields["output"]);
  if (output === undefined) return text;
  return `${output === "" ? "(no output)" : output}\nexit code ${fields["exit_code"] ?? "unknown"}`;
};

export const showWritten =
  (path: string): Show =>
  ({ fields }) =>
    `Wrote ${path}${typeof fields["bytes_written"] === "number" ? ` (${fields["bytes_written"]} bytes)` : ""}.`;

export const showPatched =
  (path: string): Show =>
  ({ fields }) => {
    const diff = str(fields["diff"]);
    return `Changed ${path}.${diff === undefined ? "" : `\n${diff}`}`;
  };

export const showTodos: Show = ({ fields, text }) => {
  if (!Array.isArray(fields["todos"])) return text;
  const marks: Readonly<Record<string, string>> = { completed: "x", in_progress: "~", cancelled: "-" };
  const lines = list(fields["todos"]).map((item) => {
    const mark = marks[String(member(item, "status"))] ?? " ";
    return `[${mark}] ${member(item, "id")} ${member(item, "content")}`;
  });
  return lines.length === 0 ? "The list is empty." : lines.join("\n");
};

export const showTasks: Show = ({ fields, text }) => {
  if (!Array.isArray(fields["tasks"])) return text;
  const lines = list(fields["tasks"]).map((row) => {
    const task = member(row, "task") ?? row;
    return `${member(task, "id")} ${member(task, "status")} ${member(task, "title")}`;
  });
  return lines.length === 0 ? "The board is empty." : lines.join("\n");
};

export const showCreated: Show = ({ fields, text }) =>
  str(fields["task_id"]) === undefined ? text : `Task ${fields["task_id"]} is ${fields["status"] ?? "created"}.`;

export const showSessions: Show = ({ fields, text }) => {
  if (!Array.isArray(fields["results"])) return text;
  const lines = list(fields["results"]).map(
    (hit) => `${member(hit, "session_id")}: ${member(hit, "snippet") ?? member(hit, "preview") ?? ""}`,
  );
  return lines.length === 0 ? "Nothing was said about it in earlier conversations." : lines.join("\n");
};

export const showChoice: Show = ({ fields, text }) => {
  const answer = str(fields["user_response"]);
  return answer === undefined ? text : `You chose: ${answer}`;
};

export const showPage: Show = ({ fields, text }) => {
  const pages = list(fields["results"]).map((page) => str(member(page, "content")) ?? str(member(page, "error")));
  return pages.length === 0 ? text : pages.map((page) => page ?? "").join("\n\n");
};

export const showDone =
  (sentence: string): Show =>
  ({ fields }) =>
    str(fields["message"]) ?? sentence;
