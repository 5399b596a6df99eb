import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "gateway list",
  summary: "List profiles and the state of their gateways.",
  topic: "gateway",
  params: z.object({}),
  surfaces: ["cli"],
  access: "read",
  outside: true,
  run: async (_params, ctx) => {
    const rows = await ctx.gateways.list();
    const width = Math.max(...rows.map(({ profile }) => profile.length));
    const text = rows.map(({ profile, current, running, pid }) => {
      const name = `${profile.padEnd(width)}${current ? " (current)" : ""}`;
      return `${running ? "●" : "○"} ${name}  ${running ? `pid ${pid}` : "not running"}`;
    });
    return { text: text.join("\n"), data: rows };
  },
});
