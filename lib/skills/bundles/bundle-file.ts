import { Document, parseDocument } from "yaml";
import * as z from "zod";
import type { Bundle, NewBundle } from "../../contracts/skills/bundles.js";
import { commandOf } from "../catalog/names.js";

const NAME_MAX = 64;
const DESCRIPTION_MAX = 1_024;
const INSTRUCTION_MAX = 20_000;
const SKILLS_MAX = 50;
const SKILL_NAME_MAX = 200;
/** Copies of a value that a file may ask for. */
const ALIASES_MAX = 20;

/** Largest file that is read. */
export const BUNDLE_FILE_MAX = 64 << 10;

const flat = (text: string): string => text.replace(/\s+/g, " ").trim();
const text = z.union([z.string(), z.number()]).transform(String).nullish();
const shape = z.object({
  name: text,
  description: text,
  skills: z.array(z.union([z.string(), z.number()]).transform(String)),
  instruction: text,
});

/** The slash command of a bundle, which is also the name of its file; "" when nothing of the name can be typed. */
export function slugOf(name: string): string {
  if (/[/\\\p{Cc}]/u.test(name)) return "";
  const slug = commandOf(name.trim()).replace(/^-+|-+$/g, "");
  return slug.length > NAME_MAX ? "" : slug;
}

/**
 * Read a bundle as people write it: a missing name is that of the file, unknown members are ignored.
 *
 * @param stem name of its file without the ending
 * @returns why it cannot be used, or what it says
 */
export function readBundle(source: string, stem: string): Omit<Bundle, "file"> | string {
  const document = parseDocument(source.replace(/^\uFEFF/, ""), { schema: "core", merge: false });
  const [problem] = document.errors;
  if (problem !== undefined) return `it is not valid YAML: ${problem.message.split("\n")[0]}`;
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (error) {
    return `its YAML is not accepted: ${error instanceof Error ? error.message : ""}`;
  }
  const read = shape.safeParse(value);
  if (!read.success) return "it must be a map with skills, a list of names";
  const name = flat(read.data.name ?? "") || stem;
  const slug = slugOf(name);
  if (slug === "") return `no slash command can be made of the name ${JSON.stringify(name.slice(0, NAME_MAX))}`;
  const skills = namesOf(read.data.skills);
  if (skills.length === 0) return "it lists no skills";
  if (skills.length > SKILLS_MAX) return `it lists ${skills.length} skills (limit ${SKILLS_MAX})`;
  const instruction = (read.data.instruction ?? "").trim();
  if (instruction.length > INSTRUCTION_MAX)
    return `its instruction is longer than ${INSTRUCTION_MAX.toLocaleString("en")} characters`;
  return {
    slug,
    name: name.slice(0, DESCRIPTION_MAX),
    skills,
    instruction,
    ...described(read.data.description, skills),
  };
}

/** Names of skills, each once and without blanks. */
function namesOf(given: readonly string[]): readonly string[] {
  const names = given.map((name) => flat(name).slice(0, SKILL_NAME_MAX)).filter((name) => name !== "");
  return [...new Set(names)];
}

const described = (given: string | null | undefined, skills: readonly string[]) => ({
  description:
    flat(given ?? "").slice(0, DESCRIPTION_MAX) ||
    `Load ${skills.length} ${skills.length === 1 ? "skill" : "skills"} as a bundle`,
});

/** A bundle as the text of its file. */
export function renderBundle({ name, skills, description = "", instruction = "" }: NewBundle): string {
  const members = {
    name: flat(name),
    ...(flat(description) === "" ? {} : { description: flat(description) }),
    skills: namesOf(skills),
    ...(instruction.trim() === "" ? {} : { instruction: instruction.trim() }),
  };
  return new Document(members).toString({ lineWidth: 0 });
}
