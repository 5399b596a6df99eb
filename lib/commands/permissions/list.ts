import * as z from "zod";
import { defineCommand } from "../define.js";
import { listJson, renderList } from "./parts/render.js";
import { findPermissionPlace } from "./parts/rule-place.js";

export default defineCommand({
  path: "permissions list",
  aliases: ["permissions", "perms", "perms list"],
  summary: "List rules and grants with source and last use.",
  topic: "permissions",
  params: z.object({}),
  surfaces: ["cli", "slash"],
  access: "read",
  run: async (_params, ctx) => {
    const list = await ctx.chat.permissions(await findPermissionPlace(ctx));
    return { text: renderList(list), data: listJson(list), warnings: list.notices };
  },
});
