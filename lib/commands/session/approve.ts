import * as z from "zod";
import { defineCommand } from "../define.js";
import { answerOldest } from "../permissions/parts/answer-question.js";

const SCOPES = ["once", "session", "always", "project", "edits"] as const;

export default defineCommand({
  path: "approve",
  summary: "Approve the oldest pending request, or the one with the given id.",
  topic: "permissions",
  params: z.object({
    words: z
      .array(z.string())
      .max(2)
      .default([])
      .describe("once (the default), session, always, project or edits, and optionally the request id"),
  }),
  positionals: ["words..."],
  surfaces: ["slash"],
  access: "admin",
  self: "settings",
  run: async ({ words }, ctx) => {
    const scope = SCOPES.find((one) => words.includes(one)) ?? "once";
    return answerOldest(ctx, { answer: scope, id: words.find((word) => word !== scope) });
  },
});
