import * as z from "zod";
import { defineCommand } from "../define.js";
import { columns, installedTable } from "./hub-text.js";

export default defineCommand({
  path: "skills list",
  aliases: ["skills ls"],
  summary: "List skills with their origin; installed ones with source, verdict and changed files.",
  topic: "skills",
  params: z.object({ installed: z.boolean().default(false).describe("only skills that a source gave") }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ installed }, ctx) => {
    const rows = await (await ctx.skills.hub()).list();
    if (installed)
      return { text: rows.length === 0 ? "No skill was installed." : installedTable(rows), data: { installed: rows } };
    const { skills, problems } = await ctx.skills.catalog.catalog({ cwd: ctx.cwd, env: ctx.env });
    const all = skills.map(({ name, category, description, origin, version, dir }) => ({
      name,
      category,
      description,
      origin,
      version,
      dir,
    }));
    const none = "No skills. agent skills browse lists some to install; agent help skills tells how to write one.";
    const table =
      all.length === 0
        ? none
        : columns(all.map((one) => [one.name, one.origin, one.version, one.description.slice(0, 80)]));
    return {
      text: [table, ...(rows.length === 0 ? [] : ["", installedTable(rows)])].join("\n"),
      data: { skills: all, installed: rows },
      warnings: problems.map(({ path, why }) => `${path}: ${why}`),
    };
  },
});
