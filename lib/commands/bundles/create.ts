import * as z from "zod";
import { defineCommand } from "../define.js";
import { callerPlace } from "./text.js";

export default defineCommand({
  path: "bundles create",
  summary: "Create a bundle of skills under one slash command.",
  topic: "skills",
  params: z.object({
    name: z.string().min(1).describe("name; the slash command is made of it"),
    skill: z.array(z.string()).default([]).describe("skill that it loads; repeatable"),
    description: z.string().optional().describe("description, shown in lists (default: the number of skills)"),
    instruction: z.string().optional().describe("instruction to the model, placed before the skills"),
    force: z.boolean().default(false).describe("replace a bundle of the same name"),
  }),
  positionals: ["name"],
  short: { skill: "s", description: "d", instruction: "i" },
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ name, skill: skills, description, instruction, force }, ctx) => {
    const api = await ctx.skills.bundles();
    const wanted = { name, skills, description, instruction };
    const bundle = await api.create(wanted, callerPlace(ctx), force);
    return { text: `Created /${bundle.slug}: ${bundle.skills.join(", ")} (${bundle.file}).`, data: bundle };
  },
});
