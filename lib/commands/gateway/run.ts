import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "gateway run",
  aliases: ["gateway"],
  summary: "Own this home and connect its messaging platforms, until Ctrl+C or agent gateway stop.",
  topic: "gateway",
  params: z.object({
    verbose: z.boolean().default(false).describe("show what happens; -vv everything"),
    very_verbose: z.boolean().default(false).describe("show everything that happens"),
    quiet: z.boolean().default(false).describe("show nothing"),
    replace: z.boolean().default(false).describe("ask the gateway that runs to leave, and take its place"),
    force: z.boolean().default(false).describe("start although a service unit runs the gateway of this home"),
    no_supervise: z
      .boolean()
      .default(false)
      .describe("exit with 75 when a restart is asked for, and never start a successor"),
    accept_hooks: z.boolean().default(false).describe("let new and changed hooks run without asking"),
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
