import type { Skill, SkillPlace } from "../../contracts/skills/skill.js";
import type { ToolContext } from "../core/define.js";

/** Where a call looks for skills. */
export const skillPlaceOf = (ctx: ToolContext): SkillPlace => ({ cwd: ctx.state.launchDir, env: ctx.env });

/** Written by someone other than the user: it may hold instructions that the user does not know of. */
export const isOfOthers = ({ origin }: Pick<Skill, "origin">): boolean =>
  origin === "hub" || origin === "project" || origin === "external" || origin === "plugin";
