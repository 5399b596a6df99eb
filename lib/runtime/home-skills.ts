import type { AppOptions } from "../config/app-options.js";
import { loadConfig } from "../config/load-config.js";
import type { SkillServices } from "../contracts/skills/services.js";
import { skillsOf } from "./skills.js";

/** What is known of a home that this process does not own. */
export type HomeParts = Pick<AppOptions, "home" | "env" | "clock" | "ids" | "spawner" | "log">;

/** The skills of another home, with the settings that it has at this moment: of a profile, or before anyone owns it. */
export async function skillsOfHome(parts: HomeParts): Promise<SkillServices> {
  const { home, env, clock } = parts;
  const config = await loadConfig({ home, env, clock, keys: [], readonly: true });
  return skillsOf({ ...parts, config, kind: "readonly" }).services;
}
