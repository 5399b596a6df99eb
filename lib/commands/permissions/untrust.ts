import * as z from "zod";
import { defineCommand } from "../define.js";
import { findPermissionPlace } from "./parts/rule-place.js";

export default defineCommand({
  path: "permissions untrust",
  summary: "Stop trusting the allow rules of this project.",
  topic: "permissions",
  params: z.object({}),
  surfaces: ["cli", "slash"],
  access: "admin",
  self: "settings",
  run: async (_params, ctx) => {
    const was = await ctx.chat.permissionUntrust(await findPermissionPlace(ctx));
    return { text: was ? "no longer trusted" : "not trusted", data: { untrusted: was } };
  },
});
