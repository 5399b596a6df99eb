import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";
import { changeNamed, differencesText } from "./text.js";

export default defineCommand({
  path: "curator show",
  summary: "Show a run of the curator with the differences of its changes.",
  topic: "curator",
  params: z.object({
    run: z.string().max(200).optional().describe("RUN, or RUN:N for one change (default: the newest run)"),
  }),
  positionals: ["run"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ run: given }, ctx) => {
    const wanted = given === undefined ? { id: undefined, n: undefined } : changeNamed(given);
    const run = await (await ctx.skills.curator()).show(wanted.id);
    if (wanted.n !== undefined && !run.changes.some(({ n }) => n === wanted.n))
      throw new AppError("E_NOT_FOUND", `run ${run.id} has no change ${wanted.n}`, {
        hint: `it has ${run.changes.length}`,
      });
    return { text: differencesText(run, wanted.n), data: run };
  },
});
