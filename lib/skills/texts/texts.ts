import { basename, join } from "node:path";
import { AppError } from "../../base/errors.js";
import type { Home } from "../../base/home.js";
import { isRecord } from "../../base/json/record.js";
import type { Config } from "../../contracts/config/config.js";
import { SKILLS_CONFIG, SKILLS_INLINE_SHELL, SKILLS_TEMPLATE_VARS } from "../../contracts/skills/keys.js";
import type { SkillServices } from "../../contracts/skills/services.js";
import type { Skill, SkillOrigin, SkillsApi } from "../../contracts/skills/skill.js";
import type { SkillReading, SkillTexts, SkillView } from "../../contracts/skills/texts.js";
import { deniedBy, skillRule } from "../../safety/approve/common.js";
import { projectRoot, userHomeOf } from "../../safety/paths/paths.js";
import { isWithheld } from "../../safety/redact/env.js";
import { flagLines } from "../../safety/redact/injection.js";
import { headText, plainText } from "../../safety/redact/text.js";
import { loadRules, ruleFiles } from "../../safety/rules/rules.js";
import { FLAGGED_NOTE } from "../../tools/run/read.js";
import { readSkillText } from "../catalog/front-matter.js";
import { checkInnerPath, listSkillFiles, readInner } from "./files.js";
import { readinessOf } from "./readiness.js";

export interface TextsDeps {
  readonly catalog: Pick<SkillsApi, "find">;
  readonly config: Pick<Config, "get">;
  readonly home: Pick<Home, "dir">;
  readonly variables: SkillServices["variables"];
}

/** Whose text is that of others: its lines are marked, and it runs nothing. */
const OF_OTHERS: ReadonlySet<SkillOrigin> = new Set(["hub", "project", "external", "plugin"]);
/** Whose text never runs a command, whatever is set. */
const RUNS_NOTHING: ReadonlySet<SkillOrigin> = new Set(["hub", "project"]);

const SKILL_FILE_MAX = 1 << 20;
/** Characters of one text; the rest is read from the file. */
const TEXT_MAX = 100_000;

/** @see SkillTexts */
export function createTexts(deps: TextsDeps): SkillTexts {
  const { catalog, config } = deps;
  const block: SkillTexts["block"] = async (skill, reading) => {
    const asks = await refuseDenied(skill, reading, deps);
    if (asks) return askedFor(skill);
    const { text } = await instructionsOf(skill, reading, config);
    return [text, ...aroundOf(skill, reading, deps)].join("\n\n");
  };
  return {
    block,
    readiness: (skill, env) => readinessOf(skill, env, deps.variables),
    view: async (name, file, reading) => {
      const skill = await catalog.find(name, reading.place);
      const content =
        file === undefined ? await instructionsOf(skill, reading, config) : innerFile(skill, cleanPath(file));
      return viewOf(skill, { content, reading, deps, file: file === undefined ? undefined : cleanPath(file) });
    },
    message: async (skill, reading) => {
      const { instruction = "" } = reading;
      return [
        `[IMPORTANT: The user has invoked the "${skill.name}" skill, indicating that they want you to follow its instructions. The full text of the skill is below.]`,
        await block(skill, reading),
        ...(instruction.trim() === "" ? [] : [`The user gave this instruction with the skill: ${instruction.trim()}`]),
      ].join("\n\n");
    },
    promptText: async (names, place) => {
      const blocks: string[] = [];
      for (const name of new Set(names)) {
        const skill = await catalog.find(name, place);
        blocks.push(
          `[IMPORTANT: The user has started this session with the "${skill.name}" skill. Follow its instructions throughout, unless the user says otherwise.]`,
          await block(skill, { place }),
        );
      }
      return blocks.join("\n\n");
    },
  };
}

/**
 * The owner of this agent who calls a skill by its name has agreed to it; a rule that denies is stronger.
 *
 * @returns whether a person has to be asked before its text is read
 * @throws E_DENIED
 */
async function refuseDenied({ name }: Skill, reading: SkillReading, { home }: TextsDeps): Promise<boolean> {
  const { cwd, env } = reading.place;
  const { rules } = await loadRules(ruleFiles(home.dir, projectRoot(cwd ?? home.dir, userHomeOf(env))));
  const ruleOf = (list: "deny" | "ask") =>
    skillRule(
      rules.filter((one) => one.list === list),
      name,
    );
  const rule = ruleOf("deny");
  const denied = rule === undefined ? undefined : deniedBy(rule);
  if (denied?.outcome === "denied") throw new AppError("E_DENIED", `skill ${name}: ${denied.message}`);
  return reading.byGuest === true && ruleOf("ask") !== undefined;
}

/** In place of the text: reading it is a call that asks. */
const askedFor = ({ name }: Skill): string =>
  `[The text of the skill "${name}" is not here, because a rule asks before it is read. Call skill_view(name="${name}") first. If that is refused, do not follow the skill and say so.]`;

interface Content {
  readonly text: string;
  readonly notes: readonly string[];
}

/** The text of a skill as the model reads it. */
async function instructionsOf(skill: Skill, reading: SkillReading, config: TextsDeps["config"]): Promise<Content> {
  const bytes = readInner(skill.dir, basename(skill.file), SKILL_FILE_MAX);
  if (!(bytes instanceof Buffer))
    throw new AppError("E_NOT_FOUND", `${skill.file} can no longer be read`, {
      hint: "/reload-skills reads the skills again",
    });
  const read = readSkillText(bytes.toString("utf8"), basename(skill.dir));
  if (typeof read === "string") throw new AppError("E_NOT_FOUND", `${skill.file}: ${read}`);
  const { text, notes } = marked(skill, read.body.trim());
  const named = config.get(SKILLS_TEMPLATE_VARS) ? withVariables(text, skill, reading) : text;
  const runs = config.get(SKILLS_INLINE_SHELL) && !RUNS_NOTHING.has(skill.origin);
  const { shell } = reading;
  if (!runs || shell === undefined) return { text: named, notes };
  return { text: await replaceShell(named, async (command) => await shell(command, skill.dir)), notes };
}

/** Control characters gone, lines that look planted marked where others wrote the text, cut to its bound. */
function marked(skill: Skill, given: string): Content {
  const cut = headText(plainText(given), TEXT_MAX);
  const notes = cut.length < given.length && given.length > TEXT_MAX ? [`cut after ${TEXT_MAX} characters`] : [];
  const end = notes.length === 0 ? "" : `\n[${notes[0]}: read the rest from ${skill.file}]`;
  if (!OF_OTHERS.has(skill.origin)) return { text: `${cut}${end}`, notes };
  const { text, flags } = flagLines(cut);
  if (flags.length === 0) return { text: `${text}${end}`, notes };
  return {
    text: `${FLAGGED_NOTE}\n${text}${end}`,
    notes: [...notes, `lines that may have been planted are marked: ${flags.map(({ line }) => line).join(", ")}`],
  };
}

const SKILL_DIR = /\$\{AGENT_SKILL_DIR\}/g;
const SESSION_ID = /\$\{AGENT_SESSION_ID\}/g;

const withVariables = (text: string, { dir }: Skill, { session }: SkillReading): string =>
  text.replace(SKILL_DIR, () => dir).replace(SESSION_ID, (name) => session ?? name);

/** What follows the text: where it lies, its settings, what is missing, and its files. */
function aroundOf(skill: Skill, { place }: SkillReading, { config, variables }: TextsDeps): readonly string[] {
  const values = settingsOf(skill, config);
  const { note } = readinessOf(skill, place.env, variables);
  const withheld = Object.keys(
    variables(
      skill.variables.map(({ name }) => name).filter((name) => isWithheld(name, config)),
      place.env,
    ),
  );
  const files = Object.values(listSkillFiles(skill.dir)).flat();
  const [first] = files;
  return [
    `[Skill directory: ${skill.dir}]\nRelative paths in this skill are relative to that directory.`,
    ...(Object.keys(values).length === 0
      ? []
      : [
          `[Skill settings]\n${Object.entries(values)
            .map(([key, value]) => `${key} = ${value}`)
            .join("\n")}`,
        ]),
    ...(note === "" ? [] : [`[Skill setup note: ${note}]`]),
    ...(withheld.length === 0
      ? []
      : [
          `[Commands have ${withheld.join(", ")} only after the user has agreed: call skill_view(name="${skill.name}") before the first command that needs it.]`,
        ]),
    ...(first === undefined
      ? []
      : [
          `[Supporting files]\n${files.map((file) => `- ${file}`).join("\n")}\nRead one with skill_view(name="${skill.name}", file_path="${first}").`,
        ]),
  ];
}

/** Values of the settings that a skill declares: those of `skills.config`, else the skill's own default. */
function settingsOf(skill: Skill, config: TextsDeps["config"]): Readonly<Record<string, string>> {
  const all = config.get(SKILLS_CONFIG);
  const values: Record<string, string> = {};
  for (const { key, default: otherwise } of skill.settings) {
    const set = valueAt(all, key);
    values[key] = plainText(set === undefined ? otherwise : typeof set === "string" ? set : JSON.stringify(set));
  }
  return values;
}

function valueAt(all: unknown, key: string): unknown {
  if (!isRecord(all)) return undefined;
  if (Object.hasOwn(all, key)) return all[key];
  let at: unknown = all;
  for (const word of key.split(".")) at = isRecord(at) && Object.hasOwn(at, word) ? at[word] : undefined;
  return at;
}

function cleanPath(given: string): string {
  const wrong = checkInnerPath(given);
  if (wrong !== undefined) throw new AppError("E_INVALID", `file_path ${JSON.stringify(given)}: ${wrong}`);
  return join(given.trim());
}

function innerFile(skill: Skill, inner: string): Content {
  const bytes = readInner(skill.dir, inner, SKILL_FILE_MAX);
  if (bytes === "away") throw new AppError("E_INVALID", `file_path ${JSON.stringify(inner)} leads out of the skill`);
  const files = Object.values(listSkillFiles(skill.dir)).flat();
  if (bytes === undefined)
    throw new AppError(
      "E_NOT_FOUND",
      `${skill.name} has no file ${JSON.stringify(inner)} that can be read (at most 1 MiB)`,
      {
        hint: files.length === 0 ? "it has no supporting files" : `files: ${files.join(", ")}`,
      },
    );
  if (bytes.includes(0)) return { text: `[binary file, ${bytes.length} bytes]`, notes: [] };
  return marked({ ...skill, file: join(skill.dir, inner) }, bytes.toString("utf8"));
}

interface Viewed {
  readonly content: Content;
  readonly reading: SkillReading;
  readonly deps: TextsDeps;
  /** Path of the file inside the skill; undefined: its instructions. */
  readonly file: string | undefined;
}

function viewOf(skill: Skill, { content, reading, deps, file }: Viewed): SkillView {
  const { status, variables, commands, note } = readinessOf(skill, reading.place.env, deps.variables);
  const files = listSkillFiles(skill.dir);
  const [first] = Object.values(files).flat();
  const values = settingsOf(skill, deps.config);
  return {
    success: true,
    name: skill.name,
    description: skill.description,
    category: skill.category,
    origin: skill.origin,
    ...(skill.version === "" ? {} : { version: skill.version }),
    tags: skill.tags,
    related_skills: skill.related,
    content: content.text,
    path: file === undefined ? skill.file : join(skill.dir, file),
    skill_dir: skill.dir,
    linked_files: files,
    usage_hint:
      first === undefined || file !== undefined
        ? null
        : `read a supporting file with skill_view(name="${skill.name}", file_path="${first}")`,
    readiness_status: status,
    ...(note === "" ? {} : { setup_note: note }),
    missing_environment_variables: variables.map(({ name }) => name),
    missing_commands: commands,
    ...(Object.keys(values).length === 0 ? {} : { config: values }),
    ...(content.notes.length === 0 ? {} : { notes: content.notes }),
  };
}

/** A command in the text of a skill: `!` and a command between backticks, on one line. */
const INLINE = /!`([^`\n]{1,1000})`/g;

/** Commands of one text that run; the others stay as they are. */
const RUNS_MAX = 20;

/** Put what its commands print in their place, one after the other. */
async function replaceShell(text: string, run: (command: string) => Promise<string>): Promise<string> {
  const parts: string[] = [];
  let from = 0;
  for (const [index, found] of [...text.matchAll(INLINE)].entries()) {
    if (index >= RUNS_MAX) break;
    const [whole, command = ""] = found;
    parts.push(text.slice(from, found.index), await run(command));
    from = found.index + whole.length;
  }
  return [...parts, text.slice(from)].join("");
}
