import * as z from "zod";
import { defineCommand } from "../define.js";
import { runText } from "./text.js";

export default defineCommand({
  path: "curator run",
  summary: "Run the curator now and wait for its end.",
  topic: "curator",
  params: z.object({
    dry_run: z.boolean().default(false).describe("write the report only, change nothing"),
    background: z.boolean().default(false).describe("return at once; the report appears in logs/curator"),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ dry_run: dryRun, background }, ctx) => {
    const curator = await ctx.skills.curator();
    if (background) {
      await curator.runInBackground({ dryRun });
      return { text: "The curator runs in the background; agent curator status shows it.", data: { started: true } };
    }
    const run = await curator.run({ dryRun, cause: "manual" }, ctx.signal);
    return { text: runText(run), data: run };
  },
});
