import * as z from "zod";
import { defineCommand } from "../define.js";
import { completionScript } from "../render/completion.js";

export default defineCommand({
  path: "completion",
  summary: "Print a shell completion script.",
  topic: "start",
  params: z.object({ shell: z.enum(["bash", "zsh", "fish"]).describe("bash, zsh or fish") }),
  positionals: ["shell"],
  surfaces: ["cli"],
  access: "read",
  run: async ({ shell }) => {
    const { COMMANDS } = await import("../index.gen.js");
    const text = completionScript(shell, COMMANDS);
    return { text, data: { shell, script: text } };
  },
});
