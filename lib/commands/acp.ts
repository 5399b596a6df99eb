import * as z from "zod";
import { AppError } from "../base/errors.js";
import { defineCommand } from "./define.js";

/** The entry point acts on this line itself: the process may own the home while it serves. */
export default defineCommand({
  path: "acp",
  summary: "Serve the agent to an editor over the Agent Client Protocol on standard input and output.",
  topic: "acp",
  params: z.object({
    verbose: z.boolean().default(false).describe("log to standard error"),
  }),
  short: { verbose: "v" },
  surfaces: ["cli"],
  access: "admin",
  outside: true,
  run: async () => {
    throw new AppError("E_STATE", "agent acp is started by an editor", { hint: "agent help acp shows its settings" });
  },
});
