import * as z from "zod";
import { ownEntry } from "../../base/json/record.js";
import { defineCommand } from "../define.js";

const KEY = "display.runtime_footer.enabled";
const FIELDS = "display.runtime_footer.fields";
const EXAMPLE: Readonly<Record<string, string>> = { model: "a-model", context_pct: "12%", cwd: "~/project" };

export default defineCommand({
  path: "footer",
  summary: "Show a footer under answers in chats: model, context used, directory.",
  topic: "gateway",
  params: z.object({ what: z.enum(["on", "off", "status"]).default("status").describe("on, off, or status") }),
  positionals: ["what"],
  surfaces: ["slash"],
  access: "write",
  run: async ({ what }, ctx) => {
    if (what !== "status")
      await ctx.settings.set(KEY, what === "on" ? "true" : "false", { asText: true, force: false });
    const on = what === "status" ? ctx.settings.get(KEY)?.value === true : what === "on";
    const given = ctx.settings.get(FIELDS)?.value;
    const fields = Array.isArray(given) ? given.map(String) : [];
    const example = fields.flatMap((field) => ownEntry(EXAMPLE, field) ?? []).join(" · ");
    return {
      text: on
        ? `Answers in chats end with a footer:\n\n${example}`
        : `Answers in chats do not have a footer: ${example}`,
      data: { enabled: on, fields, example },
    };
  },
});
