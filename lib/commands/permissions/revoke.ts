import * as z from "zod";
import { defineCommand } from "../define.js";
import { ruleJson } from "./parts/render.js";
import { findPermissionPlace } from "./parts/rule-place.js";

export default defineCommand({
  path: "permissions revoke",
  summary: "Remove a rule or grant.",
  topic: "permissions",
  params: z.object({ n: z.int().min(1).describe("number shown by permissions list") }),
  positionals: ["n"],
  surfaces: ["cli", "slash"],
  access: "admin",
  self: "settings",
  run: async ({ n }, ctx) => {
    const gone = await ctx.chat.permissionRevoke(n, await findPermissionPlace(ctx));
    return { text: `removed ${gone.list}: ${gone.rule}`, data: ruleJson(gone) };
  },
});
