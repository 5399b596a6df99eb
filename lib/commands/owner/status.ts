import * as z from "zod";
import { toIso } from "../../base/units.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "owner status",
  summary: "Show pid, version, clients, turns and workers of the owner.",
  topic: "start",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const status = await ctx.owner.status();
    if (status.kind !== "long") return { text: "no owner is running", data: { running: false } };
    const text = `pid ${status.pid}, version ${status.version}, clients ${status.clients}, turns ${status.open_turns}, workers ${status.running_workers}`;
    return { text, data: { running: true, ...status, started_at: toIso(status.started_at) } };
  },
});
