import { resolve } from "node:path";
import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "skills publish",
  summary: "Write a skill into a directory or a checkout of git that others can tap. Nothing is sent.",
  topic: "skills",
  params: z.object({
    name: z.string().min(1).describe("a skill of the home"),
    to: z.string().optional().describe("directory, or checkout of a repository"),
    force: z.boolean().default(false).describe("replace it there; publish despite findings"),
  }),
  positionals: ["name"],
  short: { force: "f" },
  surfaces: ["cli"],
  access: "write",
  self: "settings",
  run: async ({ name, to, force }, ctx) => {
    if (to === undefined)
      throw new AppError("E_USAGE", "--to names the directory or checkout of git to publish into", {
        hint: "skills are not sent to a server: publish into a checkout, then commit and push it",
      });
    const { dir, files, git } = await (await ctx.skills.hub()).publish(name, resolve(ctx.cwd, to), force);
    const next = git ? " Look at it, commit and push it." : "";
    return { text: `Wrote ${files} files to ${dir}.${next}`, data: { dir, files, git } };
  },
});
