import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "proxy providers",
  aliases: ["proxy list"],
  summary: "List the providers supported by the local proxy, and their paths.",
  topic: "proxy",
  params: z.object({}),
  surfaces: ["cli", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const providers = await ctx.proxy.providers();
    const lines = providers.map(
      ({ name, displayName, allowedPaths }) => `${name}  ${displayName}  ${[...allowedPaths].sort().join(" ")}`,
    );
    const data = providers.map(({ name, aliases, displayName, allowedPaths }) => ({
      name,
      aliases,
      display_name: displayName,
      allowed_paths: allowedPaths,
    }));
    return { text: lines.join("\n"), data };
  },
});
