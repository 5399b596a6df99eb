import * as z from "zod";
import type { ShownEntry } from "../../contracts/owner/checkpoints.js";
import { defineCommand } from "../define.js";
import { count } from "../render/change-summary.js";

function line({ path, kind, mode, size, target, why }: ShownEntry): string {
  if (kind === "link") return `link            ${path} -> ${target ?? ""}`;
  if (kind === "skipped") return `skipped         ${path} (${why ?? ""})`;
  const bits = mode === undefined ? "    " : mode.toString(8).padStart(4, "0");
  if (kind === "absent") return `absent          ${path}`;
  return `${bits} ${kind === "directory" ? "        dir" : String(size ?? 0).padStart(11)} ${path}`;
}

export default defineCommand({
  path: "checkpoints show",
  summary: "Show the contents of a checkpoint.",
  topic: "checkpoints",
  params: z.object({ id: z.string().describe("id of the checkpoint, 4 to 8 hex digits") }),
  positionals: ["id"],
  surfaces: ["cli"],
  access: "read",
  run: async ({ id }, ctx) => {
    const shown = await ctx.checkpoints.show(id);
    const { checkpoint, entries } = shown;
    const head = `${checkpoint.id} ${checkpoint.directory} ${checkpoint.reason}, ${count(checkpoint.files, "file")}`;
    return { text: [head, ...entries.map(line)].join("\n"), data: { ...checkpoint, entries } };
  },
});
