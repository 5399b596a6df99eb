import * as z from "zod";
import { defineCommand } from "../define.js";
import { browserText } from "./text.js";

export default defineCommand({
  path: "browser status",
  aliases: ["browser"],
  summary: "Show which browser the browser tools use.",
  topic: "browser",
  params: z.object({}),
  surfaces: ["slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const status = await ctx.browser.status();
    return { text: browserText(status), data: status };
  },
});
