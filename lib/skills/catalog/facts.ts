import { basename } from "node:path";
import { nextTurn } from "../../base/async/next-turn.js";
import { readRegularFileSync } from "../../base/fs/files.js";
import { plainText } from "../../safety/redact/text.js";
import type { SkillFacts } from "./front-matter.js";
import type { FoundFile } from "./scan.js";

/** What was read of one file; it holds as long as the file has this stamp. */
export interface ReadFile {
  readonly stamp: string;
  /** Of a `SKILL.md`; absent: it cannot be used. */
  readonly facts?: SkillFacts;
  /** Of a `DESCRIPTION.md`. */
  readonly text?: string;
  readonly problems: readonly string[];
}

/** What was read, by path. */
export type ReadFiles = Map<string, ReadFile>;

const SKILL_FILE_MAX = 1 << 20;
const ABOUT_FILE_MAX = 4_096;
const ABOUT_CHARS = 200;
/** So many files are parsed before others get their turn. */
const AT_ONCE = 20;

/** Read those files that are new or changed. The parser is loaded when there is one. @returns whether there was */
export async function readChanged(files: readonly FoundFile[], read: ReadFiles): Promise<boolean> {
  const changed = files.filter(({ file, stamp }) => read.get(file)?.stamp !== stamp);
  if (changed.length === 0) return false;
  const { readSkillText } = await import("./front-matter.js");
  for (const [index, found] of changed.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await nextTurn();
    read.set(found.file, basename(found.file) === "SKILL.md" ? readSkill(found, readSkillText) : readAbout(found));
  }
  return true;
}

function readSkill({ file, dir, stamp }: FoundFile, parse: typeof import("./front-matter.js").readSkillText): ReadFile {
  const bytes = readRegularFileSync(file, SKILL_FILE_MAX);
  if (bytes === undefined)
    return {
      stamp,
      problems: ["it cannot be read: it is a link, not a file, larger than 1 MiB, or not yours to read"],
    };
  const answer = parse(bytes.toString("utf8"), basename(dir));
  return typeof answer === "string"
    ? { stamp, problems: [answer] }
    : { stamp, facts: answer.facts, problems: answer.problems };
}

function readAbout({ file, stamp }: FoundFile): ReadFile {
  const text = readRegularFileSync(file, ABOUT_FILE_MAX)?.toString("utf8") ?? "";
  return { stamp, text: firstLine(plainText(text)).slice(0, ABOUT_CHARS), problems: [] };
}

/** The first line that says something; front matter and headings do not. */
const firstLine = (text: string): string =>
  text
    .replace(/^---\n[\s\S]*?\n---\n/, "")
    .split("\n")
    .map((line) => line.replace(/^#+\s*/, "").trim())
    .find((line) => line !== "") ?? "";
