import { join } from "node:path";
import { SKILLS_WRITE_APPROVAL } from "../../contracts/skills/keys.js";
import { guardWrite, isWithin, type PathAnswer, realTarget } from "../../safety/paths/paths.js";
import type { ToolContext } from "../core/define.js";
import { pathOf, scopeOf } from "../run/scope.js";

/** Whether a file tool may write the path of its arguments. Changes of skills that wait for a person are not made around that person. */
export function guardFile(given: string, ctx: ToolContext, crossProfile: boolean | undefined): PathAnswer {
  const answer = guardWrite(pathOf(given, ctx), scopeOf(ctx, crossProfile));
  if (!answer.ok || !ctx.config.get(SKILLS_WRITE_APPROVAL)) return answer;
  const skills = join(ctx.home.dir, "skills");
  if (!isWithin(answer.path, realTarget(skills) ?? skills)) return answer;
  return {
    ok: false,
    path: answer.path,
    kind: "protected",
    why: `Refusing to write to ${answer.path}: changes of skills wait for the user's approval (skills.write_approval); skill_manage requests them`,
  };
}
