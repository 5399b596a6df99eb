import { AppError } from "../../base/errors.js";
import type { SkillWriter, WriteFinding } from "../../contracts/skills/writes.js";
import { strictFlags } from "../../safety/redact/injection.js";
import { readSkillText } from "../catalog/front-matter.js";

const CONTENT_MAX = 100_000;

const invalid = (message: string, hint: string) => new AppError("E_INVALID", message, { hint });

const FORM =
  "begin with ---, name: <the skill's name>, description: <what it does and when to use it>, ---, then the instructions";

/**
 * A text can be the `SKILL.md` of this skill.
 *
 * @throws E_INVALID naming what is wrong, E_TOO_LARGE
 */
export function checkSkillText(text: string, name: string): void {
  if (text.length > CONTENT_MAX)
    throw new AppError("E_TOO_LARGE", `SKILL.md would be ${text.length} characters (at most ${CONTENT_MAX})`, {
      hint: "move details into files below references/",
    });
  if (!/^\uFEFF?---\r?\n/.test(text)) throw invalid("SKILL.md has no front matter", FORM);
  const read = readSkillText(text, name);
  if (typeof read === "string") throw invalid(`SKILL.md cannot be used: ${read}`, FORM);
  const [problem] = read.problems;
  if (problem !== undefined) throw invalid(`SKILL.md cannot be used: ${problem}`, FORM);
  if (read.facts.name !== name)
    throw invalid(`the front matter names the skill ${read.facts.name}, not ${name}`, `write name: ${name}`);
  if (read.facts.description === "") throw invalid("the front matter has no description", FORM);
  if (read.body.trim() === "") throw invalid("SKILL.md has no instructions behind its front matter", FORM);
}

/** What stands for a secret, or marks a line, when a text is shown: copied into a file it would mean nothing. */
const MARKS = /«secret:[a-z_]+:\d+»|\[secret:[a-z_]+\]|^\[flagged: [a-z_, ]+\] /gm;

/**
 * A new text of a file may be kept: no NUL, no placeholder or label, nothing that scope `strict` refuses.
 *
 * @returns findings of a person's own text, which is theirs to write
 * @throws E_INVALID naming the pattern and the line
 */
export function checkNewText(
  text: string,
  before: string,
  { file, who }: { readonly file: string; readonly who: SkillWriter },
): readonly WriteFinding[] {
  if (text.includes("\0")) throw invalid(`${file} would hold a NUL character`, "write text");
  const old: readonly string[] = before.match(MARKS) ?? [];
  const mark = text.match(MARKS)?.find((one) => !old.includes(one));
  if (mark !== undefined)
    throw invalid(
      `${file} would hold ${mark.trim()}, which only stands for something else where a text is shown`,
      "leave it out; name the variable that holds a secret, e.g. $API_KEY",
    );
  const flags = strictFlags(text, before);
  const [first] = flags;
  if (first !== undefined && who !== "user")
    throw new AppError(
      "E_INVALID",
      `${file} line ${first.line} looks like an instruction planted for the model (${first.ids.join(", ")}): ${JSON.stringify(first.text.trim().slice(0, 120))}`,
      {
        hint: "say it in other words; a person can write the file with an editor",
        patterns: first.ids,
        line: first.line,
      },
    );
  return flags.map(({ line, ids, text: at }) => ({
    rule: ids.join(", "),
    severity: "caution",
    file,
    line,
    text: at.trim().slice(0, 200),
  }));
}
