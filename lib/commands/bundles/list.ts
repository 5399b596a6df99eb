import * as z from "zod";
import { defineCommand } from "../define.js";
import { type BundleJson, bundleTable, callerPlace, problemLine, toBundleJson } from "./text.js";

export default defineCommand({
  path: "bundles list",
  aliases: ["bundles", "bundles ls"],
  summary: "List bundles, each a slash command that loads several skills.",
  topic: "skills",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const api = await ctx.skills.bundles();
    const { bundles, problems } = api.list();
    const rows: BundleJson[] = [];
    for (const bundle of bundles) rows.push(toBundleJson(await api.load(bundle, callerPlace(ctx))));
    const text = rows.length === 0 ? "No bundles. agent bundles create NAME -s SKILL creates one." : bundleTable(rows);
    return { text, data: { bundles: rows, problems }, warnings: problems.map(problemLine) };
  },
});
