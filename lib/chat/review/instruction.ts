import type { ReviewWish } from "./nudges.js";

const MEMORY =
  "Memory: save what will still matter in later conversations: preferences and corrections of the user, facts about them, their projects and machines. " +
  "Not what concerns this task alone, what the files or the web tell anyway, or what is saved already.";
const SKILLS =
  "Skills: if a way of working was found here that will be needed again, after trial and error or by the user's correction, put it into a skill. " +
  "Look at the skills that exist first and extend one of them rather than making a narrow one.";

/** What a review is asked for; it stands behind the conversation as it was. */
export function reviewInstruction({ memory, skills }: ReviewWish): string {
  return [
    "[REVIEW] The conversation above is not continued here, and nobody reads your answer. Look back over it and save what is worth keeping.",
    ...(memory ? [MEMORY] : []),
    ...(skills ? [SKILLS] : []),
    "Only the tools memory, skills_list, skill_view and skill_manage work. If nothing is worth saving, which is the usual case, answer: Nothing to save.",
  ].join("\n\n");
}
