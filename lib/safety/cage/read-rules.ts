import { projectRoot, userHomeOf } from "../paths/paths.js";
import { matchesAny } from "../rules/match.js";
import { type ListName, loadRules, ruleFiles } from "../rules/rules.js";
import type { CageUse } from "./types.js";

/** Which secret files of a project its commands may read: those that a `read:` rule allows and none asks about or denies. */
export async function loadReadable({ directory, env }: CageUse, homeDir: string): Promise<(path: string) => boolean> {
  const userHome = userHomeOf(env);
  const project = projectRoot(directory, userHome);
  const { rules } = await loadRules(ruleFiles(homeDir, project));
  const patternsOf = (...names: readonly ListName[]) =>
    rules.flatMap(({ list, rule }) => (rule.kind === "read" && names.includes(list) ? [rule.pattern] : []));
  const allowed = patternsOf("allow");
  const held = patternsOf("ask", "deny");
  const scope = { project, userHome };
  return (path) => matchesAny(allowed, path, scope) && !matchesAny(held, path, scope);
}
