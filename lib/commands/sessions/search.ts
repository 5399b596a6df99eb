import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { toIso } from "../../base/units.js";
import { defineCommand } from "../define.js";
import { minute } from "../render/sessions.js";

export default defineCommand({
  path: "sessions search",
  summary: "Search the messages of sessions.",
  topic: "sessions",
  params: z.object({
    query: z.array(z.string()).min(1).describe('all words must match; "a phrase", prefix*, OR, NOT'),
    limit: z.number().int().min(1).max(100).default(20).describe("maximum number of sessions"),
  }),
  positionals: ["query..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ query, limit }, ctx) => {
    const words = query
      .map((word) => (query.length > 1 && /\s/.test(word) && !word.includes('"') ? `"${word}"` : word))
      .join(" ");
    if (words.trim() === "")
      throw new AppError("E_USAGE", "missing search words", { hint: "agent sessions list shows sessions" });
    const hits = await ctx.chat.search(words, limit);
    return {
      text:
        hits.length === 0
          ? "No matches."
          : hits
              .map((hit) => `${hit.session_id}  ${minute(hit.at)}  ${hit.role}: ${hit.snippet.replace(/>>>|<<</g, "")}`)
              .join("\n"),
      data: hits.map(({ at, ...hit }) => ({ ...hit, at: toIso(at) })),
    };
  },
});
