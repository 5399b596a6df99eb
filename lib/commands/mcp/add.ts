import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";
import { addedResult, fromHere } from "./added.js";

export default defineCommand({
  path: "mcp add",
  summary: "Add an MCP server: connect, choose its tools, save.",
  topic: "mcp",
  params: z.object({
    name: z.string().describe("lowercase letters, digits, _ and -"),
    program: z.array(z.string()).default([]).describe("program and arguments, after --"),
    url: z.string().optional().describe("address of the server"),
    command: z.string().optional().describe("program to start"),
    args: z.array(z.string()).default([]).describe("its arguments: the rest of the line"),
    env: z
      .array(z.string())
      .default([])
      .describe("K=V for the program; a secret is stored in .env, K alone asks for it"),
    auth: z.enum(["oauth", "header"]).optional().describe("log in with a browser, or send a header with a secret"),
    header: z.string().default("Authorization").describe("name of that header"),
    transport: z.enum(["http", "sse"]).optional().describe("protocol of the address"),
    preset: z.string().optional().describe("start from this entry of agent mcp catalog"),
    parallel: z.boolean().default(false).describe("its tools may run at the same time"),
    yes: z.boolean().default(false).describe("enable all tools without asking"),
    force: z.boolean().default(false).describe("save it although it cannot be reached"),
  }),
  positionals: ["name", "program..."],
  short: { yes: "y" },
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  outside: true,
  stdin: true,
  run: async ({ program, ...given }, ctx) => {
    if (program.length > 0 && (given.command !== undefined || given.args.length > 0))
      throw new AppError("E_USAGE", "pass the program either after -- or with --command and --args");
    const [command = given.command, ...rest] = program;
    const args = (program.length > 0 ? rest : given.args).map(fromHere(ctx.cwd));
    return addedResult(
      await ctx.mcpControl.add({
        ...given,
        command: command === undefined ? undefined : fromHere(ctx.cwd)(command),
        args,
      }),
      ctx,
    );
  },
});
