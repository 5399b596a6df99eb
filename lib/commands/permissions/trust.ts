import * as z from "zod";
import { defineCommand } from "../define.js";
import { findPermissionPlace } from "./parts/rule-place.js";

export default defineCommand({
  path: "permissions trust",
  summary: "Trust the current allow rules of this project. A change requires new approval.",
  topic: "permissions",
  params: z.object({}),
  surfaces: ["cli", "slash"],
  access: "admin",
  self: "settings",
  run: async (_params, ctx) => {
    const rules = await ctx.chat.permissionTrust(await findPermissionPlace(ctx));
    const text =
      rules.length === 0
        ? "this project does not have allow rules"
        : `trusted:\n${rules.map((rule) => `  ${rule}`).join("\n")}`;
    return { text, data: { trusted: rules } };
  },
});
