import { programOnPath } from "../../base/process/program-path.js";
import type { SkillServices } from "../../contracts/skills/services.js";
import type { Skill, SkillPlace } from "../../contracts/skills/skill.js";
import type { SkillReadiness } from "../../contracts/skills/texts.js";

/** What of the needs of a skill is missing (core part, 28.1). */
export function readinessOf(
  skill: Skill,
  env: SkillPlace["env"],
  valuesOf: SkillServices["variables"],
): SkillReadiness {
  const names = skill.variables.flatMap(({ name, optional }) => (optional ? [] : [name]));
  const values = valuesOf(names, env);
  const variables = skill.variables.filter(({ name, optional }) => !optional && values[name] === undefined);
  const commands = skill.commands.filter((name) => !isOnPath(name, env));
  if (variables.length === 0 && commands.length === 0) return { status: "ready", variables, commands, note: "" };
  const parts = [
    ...variables.map(({ name, prompt, help }) => {
      const about = [prompt, help].filter((text) => text !== "").join("; ");
      return `environment variable ${name} is not set${about === "" ? "" : ` (${about})`}`;
    }),
    ...commands.map((name) => `program ${name} is not on PATH`),
  ];
  const how =
    variables.length === 0
      ? "Install what is missing."
      : "Variables are set in the .env file of the agent's home; never ask for their values in the conversation.";
  return { status: "setup_needed", variables, commands, note: `Setup needed: ${parts.join("; ")}. ${how}` };
}

const isOnPath = (name: string, env: SkillPlace["env"]): boolean =>
  /^[\w.+-]+$/.test(name) && programOnPath(name, env["PATH"]) !== undefined;
