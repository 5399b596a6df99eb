import type { Config } from "../../contracts/config/config.js";
import { childEnv } from "../../safety/redact/env.js";

const KEPT =
  /^(PATH|HOME|USER|LANG|LC_.*|TERM|TMP.*|TEMP|SHELL|LOGNAME|XDG_.*|NODE_PATH|PYTHONPATH|VIRTUAL_ENV|CONDA.*)$/;

/** Environment of code: what other children may have, reduced to what interpreters need (core part, 25.3). */
export function codeEnv(env: Readonly<Record<string, string>>, config: Config): Record<string, string> {
  return Object.fromEntries(Object.entries(childEnv(env, config)).filter(([name]) => KEPT.test(name)));
}
