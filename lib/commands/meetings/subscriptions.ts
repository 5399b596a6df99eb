import * as z from "zod";
import { defineCommand } from "../define.js";
import { subscriptionLine } from "./text.js";

export default defineCommand({
  path: "meetings subscriptions",
  summary: "List meeting subscriptions: those of this home, and others known to the graph.",
  topic: "meetings",
  params: z.object({}),
  surfaces: ["cli"],
  access: "read",
  run: async (_params, ctx) => {
    const { subscriptions: data, problem } = await ctx.gateway.subscriptions(ctx.signal);
    const text =
      data.length === 0
        ? "No subscriptions. agent meetings subscribe RESOURCE creates one."
        : data.map(subscriptionLine).join("\n");
    return { text, data, ...(problem === null ? {} : { warnings: [`cannot query the graph: ${problem}`] }) };
  },
});
