import { resolve } from "node:path";
import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { readText } from "../../base/fs/files.js";
import { isRecord, jsonOf } from "../../base/json/record.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "hooks test",
  summary: "Run the approved hooks of an event and print their decision.",
  topic: "hooks",
  params: z.object({
    event: z.string().describe("event, such as pre_tool_call"),
    for_tool: z.string().optional().describe("name of the tool in the payload"),
    payload_file: z.string().optional().describe("file with the JSON object that the hooks read"),
  }),
  positionals: ["event"],
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async ({ event, for_tool, payload_file }, ctx) => {
    const given = payload_file === undefined ? {} : await payloadIn(payload_file, ctx.cwd);
    const payload = { ...given, ...(for_tool === undefined ? {} : { tool_name: for_tool }) };
    const trials = await ctx.hooks.test(event, payload, ctx.signal);
    const outcomes = trials.map(({ outcome }) => outcome);
    const exit = outcomes.includes("blocked") ? 3 : outcomes.includes("failed") ? 1 : 0;
    const lines = trials.map(({ command, outcome, detail, ms }) => `${outcome}: ${command}: ${detail} (${ms} ms)`);
    const text = trials.length === 0 ? `no hook matches ${event}` : lines.join("\n");
    return { text, data: { event, hooks: trials }, exit };
  },
});

/** @throws E_NOT_FOUND, E_INVALID */
async function payloadIn(file: string, cwd: string): Promise<Readonly<Record<string, unknown>>> {
  const path = resolve(cwd, file);
  const text = await readText(path);
  if (text === undefined)
    throw new AppError("E_NOT_FOUND", `no such file: ${path}`, { hint: "name a file with a JSON object" });
  const payload = jsonOf(text);
  if (isRecord(payload)) return payload;
  throw new AppError("E_INVALID", `${path} does not hold a JSON object`, { hint: "agent help hooks shows one" });
}
