import { parseDocument } from "yaml";
import * as z from "zod";
import type { Skill } from "../../contracts/skills/skill.js";

/** Bounds of the public form (core part, 28.1). */
const NAME_MAX = 64;
const DESCRIPTION_MAX = 1_024;
const FRONT_MATTER_MAX = 64 << 10;
const LIST_MAX = 64;

const SKILL_NAME = /^[a-z0-9][a-z0-9._-]*$/;

/** What a `SKILL.md` says of itself. */
export type SkillFacts = Omit<Skill, "command" | "category" | "dir" | "file" | "origin">;

export interface SkillRead {
  readonly facts: SkillFacts;
  /** The text behind the front matter. */
  readonly body: string;
  /** Fields that were left out or cut. */
  readonly problems: readonly string[];
}

const word = z.union([z.string(), z.number(), z.boolean()]).transform(String);
/** A list, or one text with commas as other agents write it. Anything but text is left out. */
const words = z.unknown().transform((given): readonly string[] => {
  const list = typeof given === "string" ? given.split(",") : Array.isArray(given) ? given : [];
  return list
    .filter((one) => typeof one === "string")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .slice(0, LIST_MAX);
});
const text = (max: number) =>
  word
    .nullish()
    .catch("")
    .transform((given) => (given ?? "").replace(/\s+/g, " ").trim().slice(0, max));
const record = z.record(z.string(), z.unknown()).catch({});
const variable = z.union([
  z.string().transform((name) => ({ name, prompt: "", help: "", optional: false })),
  z.object({ name: z.string(), prompt: text(200), help: text(500), optional: z.boolean().catch(false) }),
]);
const setting = z.object({ key: z.string().max(200), description: text(500), default: text(1_000) });

/** Members of a list that have the form; the others are left out. */
function those<T>(form: z.ZodType<T>, given: unknown): readonly T[] {
  if (!Array.isArray(given)) return [];
  return given.slice(0, LIST_MAX).flatMap((one) => {
    const read = form.safeParse(one);
    return read.success ? [read.data] : [];
  });
}

/**
 * Read a `SKILL.md` as any agent writes it: unknown fields are ignored, a missing name is that of the directory, a list may be one text.
 *
 * @param directory name of the directory that it lies in
 * @returns why it cannot be used, or what it says
 */
export function readSkillText(source: string, directory: string): SkillRead | string {
  const split = splitFrontMatter(source);
  if (typeof split === "string") return split;
  const read = readYaml(split.yaml);
  if (typeof read === "string") return read;
  const { fields } = read;
  const problems: string[] = [];
  const named = text(200).parse(fields["name"]);
  const name = SKILL_NAME.test(named) && named.length <= NAME_MAX ? named : directory;
  if (!SKILL_NAME.test(name) || name.length > NAME_MAX)
    return `its name must be lower-case letters, digits, '.', '_' and '-', at most ${NAME_MAX} characters`;
  if (name !== named)
    problems.push(
      named === ""
        ? "it has no name: that of its directory is used"
        : `the name ${JSON.stringify(named)} is not valid: that of its directory is used`,
    );
  const whole = text(Number.MAX_SAFE_INTEGER).parse(fields["description"]);
  if (whole.length > DESCRIPTION_MAX) problems.push(`its description is longer than ${DESCRIPTION_MAX} characters`);
  const metadata = record.parse(fields["metadata"] ?? {});
  const own = record.parse(metadata["agent"] ?? {});
  const needs = record.parse(fields["prerequisites"] ?? {});
  const more = words.parse(needs["env_vars"]).map((one) => ({ name: one, prompt: "", help: "", optional: false }));
  return {
    body: split.body,
    problems,
    facts: {
      name,
      description: whole.slice(0, DESCRIPTION_MAX),
      version: text(64).parse(fields["version"] ?? metadata["version"]),
      license: text(200).parse(fields["license"]),
      platforms: words.parse(fields["platforms"]).map((one) => one.toLowerCase()),
      environments: words.parse(fields["environments"]),
      userOnly: fields["user_only"] === true || fields["disable-model-invocation"] === true,
      tags: words.parse(own["tags"] ?? fields["tags"]),
      related: words.parse(own["related_skills"]),
      variables: [...those(variable, fields["required_environment_variables"]), ...more],
      commands: words.parse(needs["commands"]),
      requires: { toolsets: words.parse(own["requires_toolsets"]), tools: words.parse(own["requires_tools"]) },
      fallbackFor: {
        toolsets: words.parse(own["fallback_for_toolsets"]),
        tools: words.parse(own["fallback_for_tools"]),
      },
      settings: those(setting, own["config"]),
    },
  };
}

/** Copies of a value that front matter may ask for. */
const ALIASES_MAX = 20;

function readYaml(yaml: string): { readonly fields: Readonly<Record<string, unknown>> } | string {
  const document = parseDocument(yaml, { schema: "core", merge: false });
  const [first] = document.errors;
  if (first !== undefined) return `its front matter is not valid YAML: ${first.message.split("\n")[0]}`;
  try {
    return { fields: record.parse(document.toJS({ maxAliasCount: ALIASES_MAX }) ?? {}) };
  } catch (error) {
    return `its front matter is not accepted: ${error instanceof Error ? error.message : ""}`;
  }
}

function splitFrontMatter(source: string): { readonly yaml: string; readonly body: string } | string {
  const text = source.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
  if (!text.startsWith("---\n")) return { yaml: "", body: text };
  const end = text.indexOf("\n---", 3);
  if (end < 0 || !/^(?:[ \t]*\n|[ \t]*$)/.test(text.slice(end + 4))) return "its front matter has no closing line ---";
  if (end > FRONT_MATTER_MAX) return `its front matter is longer than ${FRONT_MATTER_MAX >> 10} KiB`;
  return { yaml: text.slice(4, end + 1), body: text.slice(end + 4).replace(/^[ \t]*\n/, "") };
}
