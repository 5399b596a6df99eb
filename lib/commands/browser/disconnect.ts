import * as z from "zod";
import { defineCommand } from "../define.js";
import { browserText } from "./text.js";

export default defineCommand({
  path: "browser disconnect",
  summary: "Let go of a browser that was connected with /browser connect. It stays open.",
  topic: "browser",
  params: z.object({}),
  surfaces: ["slash", "rpc"],
  access: "admin",
  self: "settings",
  run: async (_params, ctx) => {
    const status = await ctx.browser.disconnect();
    return { text: browserText(status), data: status };
  },
});
