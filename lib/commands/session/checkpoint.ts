import * as z from "zod";
import { projectHere } from "../checkpoints/here.js";
import { defineCommand } from "../define.js";
import { count } from "../render/change-summary.js";

export default defineCommand({
  path: "checkpoint",
  summary: "Snapshot the project directory; /rollback restores it.",
  topic: "checkpoints",
  params: z.object({ note: z.array(z.string()).default([]).describe("note") }),
  positionals: ["note..."],
  surfaces: ["slash"],
  access: "write",
  busy: "now",
  run: async ({ note }, ctx) => {
    const directory = await projectHere(ctx);
    const { checkpoint, made } = await ctx.checkpoints.make(directory, note.join(" ").trim(), ctx.session);
    const text = made
      ? `Checkpoint ${checkpoint.id} of ${directory}: ${count(checkpoint.files, "file")}${checkpoint.partial === undefined ? "" : "; the directory is too large, so only files changed by file tools are included"}.`
      : `Unchanged since checkpoint ${checkpoint.id} of ${directory}; the note was added to it.`;
    return { text, data: { ...checkpoint, made } };
  },
});
