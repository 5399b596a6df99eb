import * as z from "zod";
import { REASONING_EFFORTS } from "../../contracts/models/model.js";
import { sessionOf } from "../conversation/conversation.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "reasoning",
  summary: "Show or set the reasoning effort, and whether reasoning is shown.",
  topic: "models",
  params: z.object({
    what: z
      .enum([...REASONING_EFFORTS, "show", "hide"])
      .optional()
      .describe("an effort, show or hide (default: print both)"),
  }),
  positionals: ["what"],
  surfaces: ["slash"],
  access: "write",
  run: async ({ what }, ctx) => {
    const id = sessionOf(ctx);
    if (what === "show" || what === "hide") {
      await ctx.settings.set("display.show_reasoning", String(what === "show"), { asText: false, force: true });
      return {
        text: `Reasoning is now ${what === "show" ? "shown" : "hidden"}.`,
        data: { show: what === "show" },
      };
    }
    if (what !== undefined) await ctx.chat.setModel(id, { effort: what });
    const { effort } = await ctx.chat.modelOf(id);
    const general = ctx.settings.get("agent.reasoning_effort")?.value;
    const told = effort ?? (typeof general === "string" && general !== "" ? general : undefined);
    const show = ctx.settings.get("display.show_reasoning")?.value !== false;
    const text = `Effort: ${told ?? "model default (medium if required)"}${effort === undefined ? "" : ", in this conversation"}. Reasoning is ${show ? "shown" : "hidden"}.`;
    return { text, data: { effort: told ?? null, own: effort !== undefined, show } };
  },
});
