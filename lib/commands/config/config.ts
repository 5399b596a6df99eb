import * as z from "zod";
import { defineCommand } from "../define.js";
import configGet from "./get.js";
import configSet from "./set.js";
import configShow from "./show.js";

export default defineCommand({
  path: "config",
  summary: "Show all settings, or show or change one.",
  topic: "config",
  params: z.object({
    key: z.string().optional().describe("dotted path"),
    value: z.string().optional().describe("new value (default: show the current one)"),
  }),
  positionals: ["key", "value"],
  surfaces: ["cli", "slash"],
  access: "write",
  self: "settings",
  run: async ({ key, value }, ctx) => {
    if (key === undefined) return configShow.run({}, ctx);
    if (value === undefined) return configGet.run({ key, source: false }, ctx);
    return configSet.run({ key, value, string: false, force: false }, ctx);
  },
});
