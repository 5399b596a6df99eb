import { join } from "node:path";
import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { makeDirectory, writeAtomic } from "../../base/fs/files.js";
import { lastCodeBlock } from "../../base/text/code-block.js";
import { sessionOf } from "../conversation/conversation.js";
import { defineCommand } from "../define.js";

/** Above this no clipboard takes a text (workspace part, 10.2): it goes to the file at once, not through the socket. */
const LONGEST = 74_000;
/** Messages that are looked at for an answer. */
const LOOKED_AT = 200;

export default defineCommand({
  path: "copy",
  summary: "Copy an answer as the model wrote it.",
  topic: "workspace",
  params: z.object({
    what: z
      .string()
      .regex(/^(code|[1-9]\d{0,2})$/, "a number, or code")
      .default("1")
      .describe("number of the answer, 1 is the newest; or code for the last code block"),
  }),
  positionals: ["what"],
  surfaces: ["slash"],
  access: "read",
  run: async ({ what }, ctx) => {
    const messages = await ctx.chat.messages(sessionOf(ctx), { limit: LOOKED_AT });
    const answers = messages
      .flatMap(({ role, content }) => (role === "assistant" && content?.trim() ? [content] : []))
      .toReversed();
    const text =
      what === "code"
        ? answers.map(lastCodeBlock).find((code) => code !== undefined)
        : answers[Number(what) - 1]?.replace(/[ \t]+$/gm, "");
    if (text === undefined) throw new AppError("E_NOT_FOUND", missing(what, answers.length));
    const lines = text.split("\n").length;
    const counted = lines === 1 ? "1 line" : `${lines} lines`;
    if (Buffer.byteLength(text) <= LONGEST)
      return { text: `${counted} copied`, data: { text, lines }, next: { copy: text } };
    const file = join(ctx.home.cache, "clipboard.txt");
    await makeDirectory(ctx.home.cache, 0o700);
    await writeAtomic(file, text, 0o600);
    return { text: `${counted}: too long for the clipboard, saved to ${file}`, data: { lines, file } };
  },
});

function missing(what: string, answers: number): string {
  if (answers === 0) return "no answer to copy yet";
  return what === "code"
    ? "no code block in the answers"
    : `only ${answers} answers in the newest ${LOOKED_AT} messages`;
}
