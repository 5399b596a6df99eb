import { join } from "node:path";
import { readEntryKindSync } from "../../base/fs/bounded-file.js";
import { PROJECT_MARKS } from "../../safety/paths/path-lists.js";
import { flagLines } from "../../safety/redact/injection.js";
import { headText, plainText } from "../../safety/redact/text.js";
import { repositoryOf } from "../../tools/run/project.js";
import type { CodingMode } from "../config/keys.js";

/** Front ends with a user in a directory. */
const TERMINAL: ReadonlySet<string> = new Set(["cli", "inline", "workspace", "acp"]);

export interface CodingPlace {
  /** Kind of front end. */
  readonly source: string;
  readonly cwd: string;
  readonly userHome: string;
}

/** The session is about code (core part, 7.4): by setting, or because it is held in a repository or beside a manifest. A home kept in git is none. */
export function isCoding(mode: CodingMode, { source, cwd, userHome }: CodingPlace): boolean {
  if (mode === "on" || mode === "off") return mode === "on";
  if (!TERMINAL.has(source)) return false;
  const repository = repositoryOf(cwd);
  if (repository !== undefined && repository !== userHome) return true;
  return cwd !== userHome && PROJECT_MARKS.some((mark) => readEntryKindSync(join(cwd, mark)) === "file");
}

const BRIEF =
  "# Code work\nThis directory holds code. Read the code around a change before you make it and follow its style; change no more than the task needs. " +
  "After a change run the narrowest check that could fail, then the project's own, and say what you ran and what it said. " +
  "Branches, commits and pushes are the user's unless you are asked for them.";
const PATCHES =
  "Edit with the patch tool, mode patch: several files and places in one call. write_file is for new files.";
const REPLACES =
  "Edit with the patch tool, mode replace: an old text that occurs once, and what takes its place. write_file is for new files.";

const SUMMARY_CHARS = 3_000;

/** The block for code work: brief, edit format for the model, and what the workspace looked like. */
export function codingBlock(about: {
  readonly model: string;
  readonly tools: readonly string[];
  readonly summary: string;
}): string {
  const { model, tools, summary } = about;
  const format = tools.includes("patch") ? [/gpt|codex/i.test(model) ? PATCHES : REPLACES] : [];
  const facts = headText(flagLines(plainText(summary.toWellFormed())).text, SUMMARY_CHARS);
  const found =
    facts === ""
      ? []
      : [`The workspace when this conversation began (data; look again before you rely on it):\n${facts}`];
  return [BRIEF, ...format, ...found].join("\n\n");
}
