import * as z from "zod";
import { defineTool } from "../core/define.js";
import { jsonResult } from "../run/execute.js";
import { toFailureResult } from "../run/scope.js";

const params = z.object({
  question: z.string().min(1).max(4_000).describe("The question, one at a time."),
  choices: z
    .array(z.string().min(1).max(500))
    .max(4)
    .optional()
    .describe("Up to four answers to choose from; the user can always type another one."),
});

export default defineTool({
  name: "clarify",
  toolset: "clarify",
  description:
    "Ask the user when the request can be read in ways that lead to different work, or a decision is theirs to take. " +
    "Not for permission to run commands, which is asked by itself, and not for what you can find out.",
  params,
  risk: "read",
  effects: () => ({ reads: [], writes: ["user", "world"] }),
  limits: { ms: 0, chars: 20_000 },
  preview: ({ question }) => question,
  run: async ({ question, choices = [] }, ctx) => {
    const offered = [...new Set(choices)];
    const answer = await ctx.ask?.(question, offered);
    if (answer === undefined || (answer.how === "nobody" && answer.instead === ""))
      return toFailureResult("Clarify tool is not available in this execution context.");
    const response = answer.how === "answered" ? answer.text : answer.instead;
    return { text: jsonResult({ question, choices_offered: offered, user_response: response }) };
  },
});
