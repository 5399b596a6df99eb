import { AppError } from "../../base/errors.js";
import { readInvocation } from "../../contracts/skills/invoked.js";

const AUTO_LENGTH = 60;
const MAX_LENGTH = 100;
/** Characters of a message that its title is looked for in. */
const LOOKED_AT = 20_000;
/** Control, zero-width and bidirectional characters: they would make two titles look alike. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g;

const oneLine = (text: string): string => text.replace(/\s+/g, " ").replace(INVISIBLE, "").trim();

/** First characters (code points) of a text, on one line. */
export function firstChars(text: string, count: number): string {
  // A prefix is enough: a message can be a megabyte, and white space before its text is rarely long.
  const chars = Array.from(oneLine(text.slice(0, count * 20)));
  return chars.slice(0, count).join("").trim();
}

/** A picture that a message holds, as the text names it. */
const PICTURE = /\[image ([^\]\n:]{1,120}): [^\]\n]{1,2000}\]/g;

/** What stands behind the words for the files that they mention. */
const MENTIONED = /\n\n\[(?:File |Folder |@file:|@folder:)[\s\S]*$/;

/**
 * Title of a session that has no other: the beginning of its first user message, pictures left out where there are words besides. Empty when there is
 * nothing to see in it.
 */
export function titleFrom(message: string): string {
  const start = (readInvocation(message) ?? message).slice(0, LOOKED_AT).replace(MENTIONED, "");
  return firstChars(start.replace(PICTURE, ""), AUTO_LENGTH) || firstChars(start.replace(PICTURE, "$1"), AUTO_LENGTH);
}

/** Longest title that a model may give, in code points. */
const MODEL_LENGTH = 80;

/** The title in an answer of a model: its first line without quotes and label. Empty when the answer does not have one. */
export function modelTitle(answer: string): string {
  const [line = ""] = answer.trim().split("\n");
  const bare = oneLine(line)
    .replace(/^title\s*:\s*/i, "")
    .replace(/^["'\u201c\u201d\u2018\u2019\u00ab\u00bb`*]+|["'\u201c\u201d\u2018\u2019\u00ab\u00bb`*]+$/g, "")
    .replace(/^title\s*:\s*/i, "")
    .trim();
  const chars = Array.from(bare);
  return chars.length <= MODEL_LENGTH
    ? bare
    : `${chars
        .slice(0, MODEL_LENGTH - 3)
        .join("")
        .trimEnd()}…`;
}

/** `name #3` is the third of `name`; a name without a number is the first. */
export function parseTitleNumber(title: string): { readonly base: string; readonly number: number } {
  const found = /^(.+) #(\d{1,9})$/.exec(title);
  return { base: found?.[1] ?? title, number: found ? Number(found[2]) : 1 };
}

/** Clean a title that a user gave. @throws E_INVALID when nothing is left or it is longer than 100 characters */
export function cleanTitle(title: string): string {
  const clean = oneLine(title);
  const length = Array.from(clean).length;
  if (length === 0) throw new AppError("E_INVALID", "empty title", { hint: "use at least one visible character" });
  if (length > MAX_LENGTH)
    throw new AppError("E_INVALID", `the title has ${length} characters (limit ${MAX_LENGTH})`, {
      length,
      max: MAX_LENGTH,
    });
  return clean;
}
