import * as z from "zod";
import { defineCommand } from "../../define.js";
import { checkDecides, pendingLines, shownText } from "./text.js";

export default defineCommand({
  path: "skills pending",
  summary: "List changes of skills that await your approval.",
  topic: "skills",
  params: z.object({}),
  surfaces: ["slash"],
  access: "read",
  run: async (_params, ctx) => {
    checkDecides(ctx);
    const pending = await (await ctx.skills.writes()).pending();
    const lines = pending.flatMap(pendingLines);
    const hint = "/skills diff ID shows a change; /skills approve ID applies it; /skills reject ID discards it.";
    const text = pending.length === 0 ? "No changes of skills are pending." : shownText([...lines, hint].join("\n"));
    return { text, data: { pending } };
  },
});
