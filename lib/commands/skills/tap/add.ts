import * as z from "zod";
import { SKILLS_HUB_TAPS } from "../../../contracts/skills/keys.js";
import { defineCommand } from "../../define.js";

export default defineCommand({
  path: "skills tap add",
  summary: "Search one more repository for skills.",
  topic: "skills",
  params: z.object({ repository: z.string().min(1).describe("owner/repo[/dir][@ref] or an address of git") }),
  positionals: ["repository"],
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async ({ repository }, ctx) => {
    const tap = await (await ctx.skills.hub()).checkTap(repository);
    const others = ctx.config.get(SKILLS_HUB_TAPS).filter((one) => one !== tap);
    await ctx.settings.change({ [SKILLS_HUB_TAPS.key]: [...others, tap] });
    return { text: `Added ${tap}.`, data: [...others, tap] };
  },
});
