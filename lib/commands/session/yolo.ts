import * as z from "zod";
import { sessionOf } from "../conversation/conversation.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "yolo",
  summary: "Turn approvals off or on for this conversation. Denied and always-blocked calls remain so.",
  topic: "permissions",
  params: z.object({
    state: z.enum(["on", "off"]).optional().describe("on: no approvals; off: as configured (default: toggle)"),
  }),
  positionals: ["state"],
  surfaces: ["slash"],
  access: "admin",
  self: "settings",
  whole: true,
  run: async ({ state }, ctx) => {
    const session = sessionOf(ctx);
    const before = (await ctx.chat.permissionSwitches(session)).yolo === true;
    const yolo = state === undefined ? !before : state === "on";
    await ctx.chat.permissionSwitches(session, { yolo });
    const text = yolo ? "Approvals are off for this conversation until /yolo off." : "Approvals are on again.";
    return { text, data: { yolo } };
  },
});
