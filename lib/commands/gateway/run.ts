import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "gateway run",
  aliases: ["gateway"],
  summary: "Run the gateway: own this home and connect its messaging platforms until stopped.",
  topic: "gateway",
  params: z.object({
    verbose: z.boolean().default(false).describe("log progress; -vv logs everything"),
    very_verbose: z.boolean().default(false).describe("log everything"),
    quiet: z.boolean().default(false).describe("print nothing"),
    replace: z.boolean().default(false).describe("stop the running gateway and take its place"),
    force: z.boolean().default(false).describe("start although a service unit runs the gateway of this home"),
    no_supervise: z
      .boolean()
      .default(false)
      .describe("exit 75 when a restart is requested instead of starting a successor"),
    accept_hooks: z.boolean().default(false).describe("trust new and changed hooks without asking"),
  }),
  short: { verbose: "v", quiet: "q" },
  surfaces: ["cli"],
  access: "admin",
  outside: true,
  run: async ({ verbose, very_verbose, quiet, replace, force, no_supervise, accept_hooks }, ctx) => {
    const level = very_verbose ? 2 : verbose ? 1 : 0;
    const options = { verbose: level, quiet, replace, force, noSupervise: no_supervise, acceptHooks: accept_hooks };
    return { data: null, streamed: true, exit: await ctx.gateways.run(options) };
  },
});
