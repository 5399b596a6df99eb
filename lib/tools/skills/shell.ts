import { isRecord, jsonOf } from "../../base/json/record.js";
import { SKILLS_INLINE_SHELL_TIMEOUT } from "../../contracts/skills/keys.js";
import type { SkillShell } from "../../contracts/skills/texts.js";
import { headText } from "../../safety/redact/text.js";
import type { ToolContext } from "../core/define.js";

/** Characters of one command's output. */
const OUTPUT_MAX = 4_000;

/** Commands in the text of a skill run as calls of the terminal: the same rules, questions and cage (core part, 28.2). */
export function skillShell(ctx: ToolContext): SkillShell {
  return async (command, dir) => {
    const timeout = ctx.config.get(SKILLS_INLINE_SHELL_TIMEOUT);
    if (ctx.call === undefined || ctx.offered?.includes("terminal") !== true)
      return `[not run: ${command}: the terminal is not offered]`;
    const { content, status } = await ctx.call("terminal", { command, workdir: dir, timeout }, ctx.signal);
    const result = jsonOf(content);
    const output = isRecord(result) && typeof result["output"] === "string" ? result["output"] : undefined;
    if (output === undefined || status !== "ok")
      return `[not run: ${command}: ${headText(errorIn(result, content), 300)}]`;
    return output.length <= OUTPUT_MAX
      ? output
      : `${headText(output, OUTPUT_MAX)}\n[output cut after ${OUTPUT_MAX} characters]`;
  };
}

const errorIn = (result: unknown, content: string): string =>
  isRecord(result) && typeof result["error"] === "string" ? result["error"] : content;
