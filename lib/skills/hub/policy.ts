import type { SkillVerdict } from "../../contracts/skills/guard.js";
import type { SkillDecision, SkillTrust } from "../../contracts/skills/hub.js";

/** What is installed of whom (housekeeping part, 8). */
const POLICY: Readonly<Record<SkillTrust, Readonly<Record<SkillVerdict, SkillDecision["action"]>>>> = {
  builtin: { safe: "allow", caution: "allow", dangerous: "allow" },
  trusted: { safe: "allow", caution: "allow", dangerous: "block" },
  community: { safe: "allow", caution: "block", dangerous: "block" },
};

/** Whether a skill may be installed once a person says yes. `--force` passes over a block, but never over `dangerous`. */
export function decideSkill(trust: SkillTrust, verdict: SkillVerdict): SkillDecision {
  const action = POLICY[trust][verdict];
  const final = action === "block" && verdict === "dangerous";
  if (action === "allow") return { action, final, why: `${verdict}, from a ${trust} source` };
  return {
    action,
    final,
    why: final
      ? `the scanner calls it dangerous; not even --force installs it from a ${trust} source`
      : `the scanner advises caution; --force installs it from a ${trust} source anyway`,
  };
}
