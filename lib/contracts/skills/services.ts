import type { BundlesApi } from "./bundles.js";
import type { CuratorApi } from "./curator.js";
import type { SkillHubApi } from "./hub.js";
import type { SkillPlace, SkillsApi } from "./skill.js";
import type { SkillTexts } from "./texts.js";
import type { SkillUsage } from "./usage.js";
import type { SkillWrites } from "./writes.js";

/** Everything about skills that commands, tools and front ends use. Loaded with the first call. */
export interface SkillServices {
  readonly catalog: SkillsApi;
  usage(): Promise<SkillUsage>;
  texts(): Promise<SkillTexts>;
  bundles(): Promise<BundlesApi>;
  curator(): Promise<CuratorApi>;
  writes(): Promise<SkillWrites>;
  hub(): Promise<SkillHubApi>;
  /** Those of the variables that have a value: in the environment of the front end, else in that of the home with its `.env`. */
  variables(names: readonly string[], env: SkillPlace["env"]): Readonly<Record<string, string>>;
}
