import * as z from "zod";
import { projectHere } from "../checkpoints/here.js";
import { defineCommand } from "../define.js";
import { count } from "../render/change-summary.js";

export default defineCommand({
  path: "checkpoint",
  summary: "Keep the state of the project directory now; /rollback brings it back.",
  topic: "checkpoints",
  params: z.object({ note: z.array(z.string()).default([]).describe("what it is for") }),
  positionals: ["note..."],
  surfaces: ["slash"],
  access: "write",
  busy: "now",
  run: async ({ note }, ctx) => {
    const directory = await projectHere(ctx);
    const { checkpoint, made } = await ctx.checkpoints.make(directory, note.join(" ").trim(), ctx.session);
    const text = made
      ? `Checkpoint ${checkpoint.id} of ${directory}: ${count(checkpoint.files, "file")}${checkpoint.partial === undefined ? "" : "; it is too large to be kept as a whole, so only files that file tools change are in it"}.`
      : `Nothing has changed since checkpoint ${checkpoint.id} of ${directory}; it has this note now.`;
    return { text, data: { ...checkpoint, made } };
  },
});
