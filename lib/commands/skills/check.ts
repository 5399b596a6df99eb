import * as z from "zod";
import { defineCommand } from "../define.js";
import { columns } from "./hub-text.js";

export default defineCommand({
  path: "skills check",
  summary: "Compare installed skills with their sources and with the files that were installed.",
  topic: "skills",
  params: z.object({ name: z.string().optional().describe("only this skill") }),
  positionals: ["name"],
  surfaces: ["cli", "slash"],
  access: "write",
  run: async ({ name }, ctx) => {
    const rows = await (await ctx.skills.hub()).check(name, ctx.signal);
    const lines = rows.map((row) => [
      row.name,
      row.update === "available"
        ? `${row.from} -> ${row.to}`
        : row.update === "none"
          ? "up to date"
          : (row.error ?? ""),
      row.state === "unchanged" ? "" : `files ${row.state}: ${row.changes.slice(0, 5).join(", ")}`,
    ]);
    return {
      text: rows.length === 0 ? "No skill was installed." : columns(lines),
      data: rows,
      exit: rows.some(({ update }) => update === "unknown") ? 1 : 0,
    };
  },
});
