import * as z from "zod";
import { defineCommand } from "../define.js";
import { bundleDetails, callerPlace, toBundleJson } from "./text.js";

export default defineCommand({
  path: "bundles show",
  summary: "Show the skills and the instruction of a bundle.",
  topic: "skills",
  params: z.object({ name: z.string().min(1).describe("name of the bundle") }),
  positionals: ["name"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ name }, ctx) => {
    const api = await ctx.skills.bundles();
    const bundle = toBundleJson(await api.load(api.find(name), callerPlace(ctx)));
    return { text: bundleDetails(bundle), data: bundle };
  },
});
