import * as z from "zod";
import { defineCommand } from "../define.js";
import { callerOf, serverLine } from "./text.js";

export default defineCommand({
  path: "lsp list",
  summary: "List the known language servers.",
  topic: "lsp",
  params: z.object({ installed_only: z.boolean().default(false).describe("only servers that can be started") }),
  surfaces: ["cli", "rpc"],
  access: "read",
  run: async ({ installed_only }, ctx) => {
    const { servers } = await ctx.languageServers.status(callerOf(ctx));
    const shown = servers.filter(({ state }) => !installed_only || state === "installed");
    const lines = shown.map((one) => `${serverLine(one)}\n${" ".repeat(25)}files: ${one.extensions.join(" ")}`);
    return { text: shown.length === 0 ? "none installed" : lines.join("\n"), data: shown };
  },
});
