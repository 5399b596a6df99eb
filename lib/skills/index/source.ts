import type { PromptSource, PromptSourcePlace, SourcedPart } from "../../contracts/chat/prompt-source.js";
import type { Config } from "../../contracts/config/config.js";
import { SKILLS_INDEX_TOKENS } from "../../contracts/skills/keys.js";
import type { Skill, SkillPlace, SkillsApi } from "../../contracts/skills/skill.js";
import type { SkillTexts } from "../../contracts/skills/texts.js";
import type { SkillUsage } from "../../contracts/skills/usage.js";
import { flagLines } from "../../safety/redact/injection.js";
import { type IndexEntry, indexDescription, renderIndex } from "./render.js";

export interface IndexDeps {
  readonly catalog: Pick<SkillsApi, "catalog">;
  readonly config: Pick<Config, "get">;
  readonly texts: () => Promise<SkillTexts>;
  readonly usage: () => Promise<SkillUsage>;
  /** Sessions are about code alone: `agent.coding_context` is `focus`. */
  readonly focused: () => boolean;
}

/** Tool without which a list of skills is of no use. */
const VIEW = "skill_view";

/** Categories that a session about code alone sees in full; the others by name. */
const CODING =
  /^(?:project|coding|code|programming|development|software|engineering|devops|git|github|testing|debugging)\b|[-/](?:development|engineering|coding|testing)$/;

/** The list of skills, and the text of those that the session was started with. */
export function skillPrompt(deps: IndexDeps): PromptSource {
  return {
    parts: async (place) => {
      const parts: SourcedPart[] = [];
      if (place.tools.includes(VIEW)) parts.push(...(await indexOf(place, deps)));
      const { skills = [] } = place;
      if (skills.length === 0) return parts;
      const text = await (await deps.texts()).promptText(skills, skillPlace(place));
      return [...parts, { name: "skills of the session", tier: "stable", text }];
    },
  };
}

const skillPlace = ({ cwd, env, source }: PromptSourcePlace): SkillPlace => ({ cwd, env, platform: source });

async function indexOf(place: PromptSourcePlace, deps: IndexDeps): Promise<readonly SourcedPart[]> {
  const { tools, toolsets } = place;
  // What stands behind tool_search is offered as well, and not named here: then nothing is left out for want of a tool.
  const offered = tools.includes("tool_search") ? {} : { tools, ...(toolsets === undefined ? {} : { toolsets }) };
  const { skills, categories } = await deps.catalog.catalog({ ...skillPlace(place), ...offered });
  const listed = skills.filter(({ userOnly }) => !userOnly);
  if (listed.length === 0) return [];
  const usage = (await deps.usage()).all();
  const lately = (name: string) => usage.get(name)?.last_activity_at ?? Number.NEGATIVE_INFINITY;
  const ranked = listed.toSorted((a, b) => rank(a) - rank(b) || compare(lately(b.name), lately(a.name)));
  const maxTokens = deps.config.get(SKILLS_INDEX_TOKENS);
  const index = renderIndex({
    entries: ranked.map(entryOf),
    categories: new Map([...categories].map(([name, about]) => [name, flagLines(about).text])),
    maxTokens,
    ...(deps.focused() ? { namesOnly: (category: string) => category !== "" && !CODING.test(category) } : {}),
  });
  const notices = index.over
    ? [
        `the names of ${listed.length} skills take more than skills.index_tokens (${maxTokens}); they are listed without descriptions`,
      ]
    : [];
  return [{ name: "skills", tier: "stable", text: index.text, ...(notices.length === 0 ? {} : { notices }) }];
}

const rank = ({ origin }: Skill): number => (origin === "project" ? 0 : 1);
const compare = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

/** Names of directories of a project are not categories: their author is not the user. */
function entryOf({ name, description, category, origin }: Skill): IndexEntry {
  const own = origin === "user" || origin === "agent" || origin === "bundled";
  const line = indexDescription(description);
  return {
    name,
    description: own ? line : flagLines(line).text,
    category: origin === "project" ? "project" : origin === "plugin" ? "plugins" : category,
  };
}
