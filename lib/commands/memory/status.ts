import * as z from "zod";
import { defineCommand } from "../define.js";
import { entryCount, requireMaster, scopeText } from "./memory-text.js";

export default defineCommand({
  path: "memory status",
  summary: "Show the files of the memory with their sizes, and what waits.",
  topic: "memory",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    requireMaster(ctx);
    const status = await ctx.memory.status();
    const { enabled, files, pending, expired, damaged, provider } = status;
    const switched = (on: boolean) => (on ? "on" : "off");
    const lines = [
      `notes ${switched(enabled.memory)}, user profile ${switched(enabled.user)}, provider ${provider ?? "none"}`,
      ...files.map(
        (file) =>
          `${file.target === "user" ? "user profile" : scopeText(file)}  ${entryCount(file.count)}  [${file.usage}]  ${file.path}`,
      ),
      `waiting for you: ${pending}; expired: ${entryCount(expired)}`,
      ...damaged.map(({ path, why }) => `${path}: ${why}; agent memory accept takes it as it is`),
    ];
    return { text: lines.join("\n"), data: status, exit: damaged.length > 0 ? 1 : 0 };
  },
});
