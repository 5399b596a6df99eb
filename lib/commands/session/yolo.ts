import * as z from "zod";
import { sessionOf } from "../conversation/conversation.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "yolo",
  summary:
    "Switch approvals off for this conversation, or on again; what is always blocked or denied by a rule stays so.",
  topic: "permissions",
  params: z.object({
    state: z
      .enum(["on", "off"])
      .optional()
      .describe("on: nothing is asked; off: as the settings say. Without it the other of the two"),
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
