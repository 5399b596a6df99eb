import * as z from "zod";
import type { PromptPart, PromptSize } from "../../contracts/chat/prompt-size.js";
import { sessionOptions } from "../conversation/conversation.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "prompt-size",
  summary: "Show the size of each system prompt block and tool schema.",
  topic: "prompt",
  params: z.object({}),
  surfaces: ["cli"],
  access: "read",
  run: async (_params, ctx) => {
    const size = await ctx.chat.promptSize(sessionOptions(ctx));
    return { text: promptSizeText(size), data: size, warnings: size.notices };
  },
});

/** The sizes as a table: characters, bytes, rough tokens, name. */
function promptSizeText({ model, provider, blocks, tools, system, schemas, total }: PromptSize): string {
  const row = (chars: string, bytes: string, tokens: string, name: string) =>
    `${chars.padStart(8)} ${bytes.padStart(8)} ${tokens.padStart(8)}  ${name}`;
  const line = (part: PromptPart) => row(String(part.chars), String(part.bytes), String(part.tokens), part.name);
  return [
    `model ${model}, provider ${provider}`,
    "",
    row("chars", "bytes", "~tokens", "system prompt"),
    ...blocks.map(line),
    line({ ...system, name: "= system prompt, with the blank lines between blocks" }),
    "",
    row("chars", "bytes", "~tokens", "tool schemas"),
    ...tools.map(line),
    line({ ...schemas, name: `= ${tools.length} tool schemas` }),
    "",
    line({ ...total, name: "= together" }),
  ].join("\n");
}
