import * as z from "zod";
import { defineCommand } from "../define.js";
import { addedResult, fromHere } from "./added.js";

export default defineCommand({
  path: "mcp install",
  summary: "Add an MCP server of the catalogue.",
  topic: "mcp",
  params: z.object({
    id: z.string().describe("id of the catalogue"),
    name: z.string().optional().describe("name of the entry (default: the id)"),
    args: z.array(z.string()).default([]).describe("further arguments of the program: the rest of the line"),
    env: z
      .array(z.string())
      .default([])
      .describe("K=V for the program; a secret is stored in .env, K alone asks for it"),
    yes: z.boolean().default(false).describe("enable all tools without asking"),
    force: z.boolean().default(false).describe("save it although it cannot be reached"),
  }),
  positionals: ["id"],
  short: { yes: "y" },
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  outside: true,
  stdin: true,
  run: async ({ id, args, ...options }, ctx) =>
    addedResult(await ctx.mcpControl.install(id, { ...options, args: args.map(fromHere(ctx.cwd)) }), ctx),
});
