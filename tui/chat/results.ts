import { pictureLines, sizedPictures } from "../../lib/contracts/wire/picture-lines.js";
import type { PagePlace } from "../../lib/contracts/wire/shapes/session-page.js";
import { sanitize, sanitizeLine } from "../draw/sanitize.js";
import type { Todo, ToolResult } from "./state.js";

const KEPT = 4_000; // characters of a result that stay with its row
const KEPT_DIFF = 60_000;
const KEPT_LAST = 400;

type Fields = Readonly<Record<string, unknown>>;

/** What a stored result shows: the output of a command, the difference of an edit, an error, or the text as it is; then its pictures. */
export function resultOf(content: string, place: PagePlace | undefined, pictures?: unknown): ToolResult {
  const fields = fieldsOf(content);
  const diff =
    typeof fields?.["diff"] === "string" && fields["diff"] !== ""
      ? sanitize(fields["diff"].slice(0, KEPT_DIFF))
      : undefined;
  const exit = typeof fields?.["exit_code"] === "number" ? fields["exit_code"] : undefined;
  const told = toldBy(fields) ?? (exit === undefined ? content : "");
  const last = exit === undefined ? {} : lastLine(told);
  const shown = pictureLines(pictures, sanitizeLine);
  const text = [sanitize(told.slice(0, KEPT)), ...shown].filter((part) => part !== "").join("\n");
  const sized = sizedPictures(pictures);
  return {
    place,
    text,
    cut: told.length > KEPT,
    diff,
    exit,
    ...last,
    ...(sized.length === 0 ? {} : { pictures: sized }),
  };
}

/** The last line with something in it, of the end alone: output may be long. */
function lastLine(told: string): Pick<ToolResult, "last"> {
  const last = sanitizeLine(told.slice(-KEPT_LAST).trimEnd().split("\n").at(-1) ?? "").trim();
  return last === "" ? {} : { last };
}

/** The whole text of a result. */
export const wholeResult = (content: string): string => sanitize(toldBy(fieldsOf(content)) ?? content);

const TELLING = ["output", "error", "content", "text", "result"];

/** The member of a result that people want to read; undefined: the result as a whole. */
function toldBy(fields: Fields | undefined): string | undefined {
  for (const name of TELLING) {
    const value = fields?.[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

function fieldsOf(content: string): Fields | undefined {
  if (!content.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === "object" && value !== null ? (value as Fields) : undefined; // an object that is not null
  } catch {
    return undefined; // it was cut, or has words of the user behind it: it is shown as it is
  }
}

const STATUSES = ["pending", "in_progress", "completed", "cancelled"] as const;

/** The list of steps in an answer of the tool `todo`; undefined: without one. */
export function todoOf(content: string): readonly Todo[] | undefined {
  const rows = fieldsOf(content)?.["todos"];
  if (!Array.isArray(rows)) return undefined;
  return rows.flatMap((row: unknown): Todo[] => {
    if (typeof row !== "object" || row === null) return [];
    const { content: text, status } = row as Fields; // an object that is not null
    const known = STATUSES.find((one) => one === status);
    return typeof text === "string" && known !== undefined
      ? [{ text: sanitize(text).replace(/\s+/g, " "), status: known }]
      : [];
  });
}
