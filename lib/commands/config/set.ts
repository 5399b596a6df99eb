import * as z from "zod";
import { defineCommand } from "../define.js";
import { renderValue } from "../render/settings.js";

export default defineCommand({
  path: "config set",
  summary: "Change one setting. Comments and order of the file are kept.",
  topic: "config",
  params: z.object({
    key: z.string().describe("dotted path"),
    value: z.string().describe("true, false, null, a number, a YAML flow list or map, or text"),
    string: z.boolean().default(false).describe("treat the value as text"),
    force: z.boolean().default(false).describe("allow an unknown key"),
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
