import * as z from "zod";
import { defineCommand } from "../define.js";
import { answerOldest } from "../permissions/parts/answer-question.js";

export default defineCommand({
  path: "deny",
  summary: "Deny the oldest pending request, or the one with the given id.",
  topic: "permissions",
  params: z.object({
    words: z.array(z.string()).default([]).describe("id of the request, and a reason for the model"),
  }),
  positionals: ["words..."],
  surfaces: ["slash"],
  access: "write",
  self: "settings",
  run: async ({ words }, ctx) => {
    const [first = "", ...rest] = words;
    const named = /^q_[0-9a-f]+$/.test(first);
    return answerOldest(ctx, { answer: "deny", id: named ? first : undefined, text: (named ? rest : words).join(" ") });
  },
});
