import * as z from "zod";
import { SKILLS_HUB_TAPS } from "../../../contracts/skills/keys.js";
import { defineCommand } from "../../define.js";

export default defineCommand({
  path: "skills tap list",
  aliases: ["skills tap"],
  summary: "List the repositories that agent skills search looks through.",
  topic: "skills",
  params: z.object({}),
  surfaces: ["cli", "slash"],
  access: "read",
  run: async (_params, ctx) => {
    const taps = ctx.config.get(SKILLS_HUB_TAPS);
    return {
      text: taps.length === 0 ? "No taps. agent skills tap add OWNER/REPO adds one." : taps.join("\n"),
      data: taps,
    };
  },
});
