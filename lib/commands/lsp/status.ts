import * as z from "zod";
import { defineCommand } from "../define.js";
import { callerOf, serverLine } from "./text.js";

export default defineCommand({
  path: "lsp status",
  summary: "Show running, disabled and installed language servers.",
  topic: "lsp",
  params: z.object({}),
  surfaces: ["cli", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const status = await ctx.languageServers.status(callerOf(ctx));
    const { enabled, wait_mode, install_strategy, clients, broken, installing, servers } = status;
    const lines = [
      `language servers: ${enabled ? "on" : "off (lsp.enabled)"}, wait ${wait_mode}, install ${install_strategy}`,
      ...clients.map(
        (one) =>
          `live: ${one.server} pid ${one.pid} ${one.state}, ${one.open_files} files, idle ${one.idle_seconds} s, in ${one.root}`,
      ),
      ...broken.map((one) => `disabled: ${one.server} in ${one.root}: ${one.reason} (agent lsp restart retries)`),
      ...(installing.length === 0 ? [] : [`installing: ${installing.join(", ")}`]),
      ...(clients.length === 0 && broken.length === 0 ? ["live: none"] : []),
      "",
      ...servers.map(serverLine),
    ];
    return { text: lines.join("\n"), data: status };
  },
});
