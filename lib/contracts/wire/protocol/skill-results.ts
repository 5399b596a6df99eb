import * as z from "zod";
import { installedSkillShape, skillOfferShape, skillShape } from "../shapes/skills.js";
import type { Results } from "./define.js";

const skill = skillShape.omit({ enabled: true }).extend({ dir: z.string() });
const offers = z.object({
  skills: z.array(skillOfferShape),
  failed: z.array(z.string()).describe("sources that could not be asked, with the reason"),
});

/** Answers of the methods about skills. */
export const SKILL_RESULTS: Results = {
  "skills.browse": offers,
  "skills.list": z.object({
    skills: z.array(skill).optional().describe("absent with installed"),
    installed: z.array(installedSkillShape),
  }),
  "skills.search": offers,
};
