import * as z from "zod";
import { defineCommand } from "../define.js";
import { problemLine } from "./text.js";

export default defineCommand({
  path: "bundles reload",
  summary: "Read the files of the bundles again and report those that cannot be used.",
  topic: "skills",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const api = await ctx.skills.bundles();
    const { bundles, problems } = api.list();
    await ctx.runtime?.ready?.({ cwd: ctx.cwd, env: ctx.env });
    const names = bundles.map(({ slug }) => `/${slug}`);
    const text = names.length === 0 ? `No bundles in ${api.dir}.` : `${names.length} read: ${names.join(", ")}.`;
    return { text, data: { bundles: bundles.map(({ slug }) => slug), problems }, warnings: problems.map(problemLine) };
  },
});
