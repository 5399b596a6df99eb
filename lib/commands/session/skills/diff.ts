import * as z from "zod";
import { defineCommand } from "../../define.js";
import { checkDecides, pendingLines, shownText, versionLine } from "./text.js";

export default defineCommand({
  path: "skills diff",
  summary: "Show a pending change of a skill, its versions, or what a version changed.",
  topic: "skills",
  params: z.object({
    name: z.string().describe("id of a pending change, or name of a skill"),
    version: z.string().optional().describe("number of a version (default: list the versions)"),
  }),
  positionals: ["name", "version"],
  surfaces: ["slash"],
  access: "read",
  run: async ({ name, version }, ctx) => {
    checkDecides(ctx);
    const writes = await ctx.skills.writes();
    if (version !== undefined) {
      const diff = await writes.diff(version.includes("@") ? version : `${name}@${version}`);
      return { text: shownText(diff), data: { name, version, diff } };
    }
    const pending = (await writes.pending()).find(({ id }) => id === name);
    if (pending !== undefined)
      return { text: shownText([...pendingLines(pending), pending.diff].join("\n")), data: pending };
    const versions = await writes.versions(name);
    const lines = versions.map((one) => versionLine(one, name));
    const hint = `/skills diff ${name} VERSION shows a change; /skills undo ${name} VERSION takes it back.`;
    const text = versions.length === 0 ? `No versions of ${name} are kept.` : [...lines, hint].join("\n");
    return { text: shownText(text), data: { name, versions } };
  },
});
