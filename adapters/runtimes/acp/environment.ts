import { isPassed } from "../shared/environment.js";

/**
 * The whole environment of an agent program (extensions part, 8.2). The variables of the callback server are not among them: they are in its
 * entry, so that commands of the program do not see them.
 */
export const programEnv = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => isPassed(name)));
