import * as z from "zod";
import { defineCommand } from "../define.js";
import { statusText } from "./text.js";

export default defineCommand({
  path: "curator",
  summary: "Show the state of the curator and the skills that it looks after.",
  topic: "curator",
  params: z.object({}),
  surfaces: ["cli", "slash"],
  access: "read",
  run: async (_params, ctx) => {
    const status = await (await ctx.skills.curator()).status();
    return { text: statusText(status), data: status };
  },
});
