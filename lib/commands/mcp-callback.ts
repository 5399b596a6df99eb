import * as z from "zod";
import { AppError } from "../base/errors.js";
import { defineCommand } from "./define.js";

/** The entry point acts on this line itself: a program that works turns waits for its tools, and they come without the rest. */
export default defineCommand({
  path: "mcp-callback",
  summary: "Serve the tools of a conversation to the program that works its turns. The agent starts it.",
  topic: "app-server",
  params: z.object({
    verbose: z.boolean().default(false).describe("log to standard error"),
  }),
  short: { verbose: "v" },
  surfaces: ["cli"],
  access: "admin",
  outside: true,
  run: async () => {
    throw new AppError("E_USAGE", "mcp-callback must be the first word of its line", {
      hint: "agent mcp-callback [--verbose]",
    });
  },
});
