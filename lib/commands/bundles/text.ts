import type { Bundle, LoadedBundle } from "../../contracts/skills/bundles.js";
import type { SkillPlace, SkillProblem } from "../../contracts/skills/skill.js";
import type { CommandContext } from "../define.js";

/** A bundle for programs, in the names of its file. */
export interface BundleJson extends Bundle {
  /** Names of `skills` that no skill has. */
  readonly missing: readonly string[];
}

export const toBundleJson = ({ bundle, missing }: LoadedBundle): BundleJson => ({ ...bundle, missing });

/** Where the caller looks for skills. */
export const callerPlace = ({ cwd, env }: Pick<CommandContext, "cwd" | "env">): SkillPlace => ({ cwd, env });

/** One line for each bundle, in columns. */
export function bundleTable(rows: readonly BundleJson[]): string {
  const width = Math.max(...rows.map(({ slug }) => slug.length)) + 1;
  return rows
    .map(({ slug, description, skills, missing }) => {
      const note = missing.length === 0 ? "" : `; missing: ${missing.join(", ")}`;
      return `/${slug.padEnd(width)} ${description} (${skills.length} skills${note})`.replace("(1 skills", "(1 skill");
    })
    .join("\n");
}

/** A bundle with everything that its file says. */
export function bundleDetails({ slug, name, description, skills, missing, instruction, file }: BundleJson): string {
  return [
    `/${slug}  ${name}`,
    description,
    "Skills:",
    ...skills.map((skill) => `  ${skill}${missing.includes(skill) ? " (missing)" : ""}`),
    ...(instruction === "" ? [] : ["Instruction:", ...instruction.split("\n").map((line) => `  ${line}`)]),
    `File: ${file}`,
  ].join("\n");
}

export const problemLine = ({ path, why }: SkillProblem): string => `${path}: ${why}`;
