import { systemCode } from "../base/errors.js";
import type { Spawner } from "../base/spawn.js";

const MAX_CHARS = 16_000;
/** Settings of a repository that would start programs of its own. */
const HARMLESS = ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"];

/** `git diff --stat` against the last commit in `cwd`; "" where there is no repository or no git. */
export async function gitStat(spawner: Spawner, cwd: string, env: Readonly<Record<string, string>>): Promise<string> {
  const kept = Object.fromEntries(["PATH", "HOME", "LANG"].flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
  const args = [...HARMLESS, "diff", "--no-ext-diff", "--no-textconv", "--stat", "HEAD"];
  try {
    const own = { ...kept, GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0" };
    const child = await spawner.spawn({ file: "git", args, cwd, env: own, stdin: "ignore", stdout: "pipe", stderr: "ignore" });
    let said = "";
    child.onOutput((chunk) => {
      said = `${said}${chunk.toString("utf8")}`.slice(0, MAX_CHARS);
    });
    await child.closed;
    return (await child.exited).code === 0 ? said.trim() : "";
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    return "";
  }
}
