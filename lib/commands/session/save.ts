import { resolve } from "node:path";
import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { writeNamed } from "../../base/fs/named-file.js";
import { sessionOf } from "../conversation/conversation.js";
import { defineCommand } from "../define.js";

const FORMATS = ["md", "json", "jsonl"] as const;
type Format = (typeof FORMATS)[number];

export default defineCommand({
  path: "save",
  aliases: ["export"],
  summary: "Save this conversation to a file.",
  topic: "sessions",
  params: z.object({
    words: z
      .array(z.string())
      .max(2)
      .default([])
      .describe("md (the default), json or jsonl, and the file (default session_<id> in the working directory)"),
  }),
  positionals: ["words..."],
  surfaces: ["slash"],
  access: "write",
  run: async ({ words }, ctx) => {
    const id = sessionOf(ctx);
    const named = FORMATS.find((one) => one === words[0]);
    const file = named === undefined ? words[0] : words[1];
    if (named === undefined && words.length > 1)
      throw new AppError("E_USAGE", `unknown format '${words[0] ?? ""}'`, { hint: `formats: ${FORMATS.join(", ")}` });
    const format: Format = named ?? FORMATS.find((one) => file?.endsWith(`.${one}`) === true) ?? "md";
    const path = resolve(ctx.cwd, file ?? `session_${id}.${format}`);
    let text = "";
    for await (const chunk of ctx.chat.export(id, format)) text += chunk;
    await writeNamed(path, text, "/save FILE uses another path");
    return { text: `Saved to ${path}`, data: { file: path, format, session: id, bytes: Buffer.byteLength(text) } };
  },
});
