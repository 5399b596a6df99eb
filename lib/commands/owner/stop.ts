import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "owner stop",
  summary: "Stop the owner gracefully. Board workers continue.",
  topic: "start",
  params: z.object({}),
  surfaces: ["cli", "rpc"],
  access: "read",
  self: "control",
  run: async (_params, ctx) => {
    const status = await ctx.owner.status();
    if (status.kind !== "long") return { text: "no owner is running", data: { ok: true, running: false } };
    await ctx.owner.stop();
    const left = status.running_workers === 0 ? "" : `; ${status.running_workers} worker(s) continue`;
    return {
      text: `owner ${status.pid} is stopping${left}`,
      data: { ok: true, running: true, pid: status.pid, workers: status.running_workers },
    };
  },
});
