import * as z from "zod";
import { defineCommand } from "../define.js";
import { changeNamed, runText } from "./text.js";

export default defineCommand({
  path: "curator apply",
  summary: "Apply the proposed changes of a run, or one of them.",
  topic: "curator",
  params: z.object({ run: z.string().max(200).describe("RUN, or RUN:N for one change") }),
  positionals: ["run"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  self: "settings",
  run: async ({ run: given }, ctx) => {
    const { id, n } = changeNamed(given);
    const run = await (await ctx.skills.curator()).apply(id, n);
    return { text: runText(run), data: run };
  },
});
