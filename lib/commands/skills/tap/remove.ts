import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import { SKILLS_HUB_TAPS } from "../../../contracts/skills/keys.js";
import { defineCommand } from "../../define.js";

export default defineCommand({
  path: "skills tap remove",
  summary: "Search a repository no longer. Skills that were installed from it stay.",
  topic: "skills",
  params: z.object({ repository: z.string().min(1).describe("as agent skills tap list shows it") }),
  positionals: ["repository"],
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async ({ repository }, ctx) => {
    const taps = ctx.config.get(SKILLS_HUB_TAPS);
    if (!taps.includes(repository))
      throw new AppError("E_NOT_FOUND", `unknown tap '${repository}'`, { hint: `taps: ${taps.join(", ") || "none"}` });
    const left = taps.filter((one) => one !== repository);
    await ctx.settings.change({ [SKILLS_HUB_TAPS.key]: left });
    return { text: `Removed ${repository}.`, data: left };
  },
});
