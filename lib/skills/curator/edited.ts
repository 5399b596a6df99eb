import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { readRegularFileSync } from "../../base/fs/files.js";
import type { SkillVersion, SkillWrites } from "../../contracts/skills/writes.js";
import { createVersions } from "../writes/versions.js";
import type { KnownSkill } from "./curated.js";
import type { CuratorPlaces } from "./places.js";

const FILE_MAX = 1 << 20;

/**
 * Why a skill that the agent made belongs to a person by now: its text was changed with a command or an editor. Undefined: it is as the
 * agent left it.
 */
export function createTouched(
  { skills }: CuratorPlaces,
  writes: Pick<SkillWrites, "versions">,
): (known: KnownSkill) => Promise<string | undefined> {
  const versions = createVersions(skills);
  return async ({ skill, path = "" }) => {
    const file = `${path}/SKILL.md`;
    const made = await writes.versions(skill.name);
    if (made[0]?.by.who === "user" && made[0].undoes !== undefined) return "a person has reverted a change of it";
    const last = made.find(({ files }) => files.includes(file));
    if (last === undefined) return undefined; // its versions are no longer kept: its record tells who made it
    if (last.by.who === "user") return "a person has changed it";
    const written = textAfter(versions, last, file);
    const now = readRegularFileSync(join(skills, file), FILE_MAX);
    return written === undefined || now === undefined || now.equals(written) ? undefined : "a person has changed it";
  };
}

function textAfter(
  versions: ReturnType<typeof createVersions>,
  { id }: SkillVersion,
  file: string,
): Buffer | undefined {
  try {
    const after = versions.read(id).files.find(({ path }) => path === file)?.after;
    return after ? Buffer.from(after.bytes) : undefined;
  } catch (error) {
    if (error instanceof AppError) return undefined; // the version is damaged: it says nothing about the text
    throw error;
  }
}
