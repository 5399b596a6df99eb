import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { toIso } from "../../base/units.js";
import { defineCommand } from "../define.js";
import { minute } from "../render/sessions.js";

export default defineCommand({
  path: "sessions search",
  summary: "Find sessions by words in their messages.",
  topic: "sessions",
  params: z.object({
    query: z.array(z.string()).min(1).describe('words that all must be there; "a phrase", begin*, OR, NOT'),
    limit: z.number().int().min(1).max(100).default(20).describe("how many sessions"),
  }),
  positionals: ["query..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ query, limit }, ctx) => {
    const words = query
      .map((word) => (query.length > 1 && /\s/.test(word) && !word.includes('"') ? `"${word}"` : word))
      .join(" ");
    if (words.trim() === "")
      throw new AppError("E_USAGE", "there is nothing to search for", { hint: "agent sessions list shows sessions" });
    const hits = await ctx.chat.search(words, limit);
    return {
      text:
        hits.length === 0
          ? "Nothing found."
          : hits
              .map((hit) => `${hit.session_id}  ${minute(hit.at)}  ${hit.role}: ${hit.snippet.replace(/>>>|<<</g, "")}`)
              .join("\n"),
      data: hits.map(({ at, ...hit }) => ({ ...hit, at: toIso(at) })),
    };
  },
});
