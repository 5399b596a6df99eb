import { AppError } from "../../base/errors.js";
import type { Skill, SkillPlace, SkillsApi } from "./skill.js";

/** Names of skills, looked up. */
export interface FoundSkills {
  /** Each once, in the order of the names. */
  readonly skills: readonly Skill[];
  /** Names that no skill has, or several. */
  readonly missing: readonly string[];
  /** Why the first of them cannot be used; its hint names the closest skills, or the directories. */
  readonly why: AppError | undefined;
}

/** Look up names or commands of skills in a place. */
export async function findSkills(
  api: Pick<SkillsApi, "find">,
  names: readonly string[],
  place: SkillPlace,
): Promise<FoundSkills> {
  const skills = new Map<string, Skill>();
  const missing: string[] = [];
  let why: AppError | undefined;
  for (const name of names) {
    try {
      const skill = await api.find(name, place);
      skills.set(skill.name, skill);
    } catch (error) {
      if (!(error instanceof AppError) || (error.code !== "E_NOT_FOUND" && error.code !== "E_AMBIGUOUS")) throw error;
      missing.push(name);
      why ??= error;
    }
  }
  return { skills: [...skills.values()], missing, why };
}

/**
 * The skills of these names.
 *
 * @param given where the names come from, for the message: `--skills`
 * @throws E_USAGE naming all that are unknown, with the closest names; E_AMBIGUOUS
 */
export async function requireSkills(
  api: Pick<SkillsApi, "find">,
  names: readonly string[],
  { place, given }: { readonly place: SkillPlace; readonly given: string },
): Promise<readonly Skill[]> {
  const { skills, missing, why } = await findSkills(api, names, place);
  if (why === undefined) return skills;
  if (why.code === "E_AMBIGUOUS") throw new AppError("E_AMBIGUOUS", why.message, { hint: why.hint, exit: 2 });
  throw new AppError("E_USAGE", `unknown skill in ${given}: ${missing.map((name) => `'${name}'`).join(", ")}`, {
    hint: why.hint,
  });
}
