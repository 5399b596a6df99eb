import { resolve } from "node:path";
import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "skills export",
  summary: "Write a skill as an archive that agent skills install takes.",
  topic: "skills",
  params: z.object({
    name: z.string().min(1).describe("a skill of the home"),
    output: z.string().optional().describe("file to write; default NAME.tar.gz in the working directory"),
    force: z.boolean().default(false).describe("replace the file"),
  }),
  positionals: ["name"],
  short: { output: "o", force: "f" },
  surfaces: ["cli"],
  access: "write",
  run: async ({ name, output, force }, ctx) => {
    const to = resolve(ctx.cwd, output ?? `${name}.tar.gz`);
    const { path, bytes } = await (await ctx.skills.hub()).export(name, to, force);
    return { text: `Wrote ${path} (${bytes} bytes).`, data: { path, bytes } };
  },
});
