import * as z from "zod";
import { defineCommand } from "../define.js";
import { findPermissionPlace } from "./parts/rule-place.js";

export default defineCommand({
  path: "permissions untrust",
  summary: "Let the allow rules of this project count no more.",
  topic: "permissions",
  params: z.object({}),
  surfaces: ["cli", "slash"],
  access: "admin",
  self: "settings",
  run: async (_params, ctx) => {
    const was = await ctx.chat.permissionUntrust(await findPermissionPlace(ctx));
    return { text: was ? "not trusted any more" : "it was not trusted", data: { untrusted: was } };
  },
});
