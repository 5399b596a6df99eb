import * as z from "zod";
import { defineCommand } from "../define.js";
import { renderValue } from "../render/settings.js";

export default defineCommand({
  path: "config set",
  summary: "Change one setting; comments and order of the file stay.",
  topic: "config",
  params: z.object({
    key: z.string().describe("dotted path"),
    value: z.string().describe("true, false, null, a number, a list or map in flow form, or a text"),
    string: z.boolean().default(false).describe("take the value as a text, whatever it looks like"),
    force: z.boolean().default(false).describe("write a key that is not known"),
  }),
  positionals: ["key", "value"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  self: "settings",
  run: async ({ key, value, string, force }, ctx) => {
    const setting = await ctx.settings.set(key, value, { asText: string, force });
    return { text: `${setting.key} = ${renderValue(setting.value)}`, data: { ok: true, ...setting } };
  },
});
