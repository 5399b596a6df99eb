import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { SETUP_SECTIONS } from "../../contracts/config/setup.js";
import { defineCommand } from "../define.js";

const IN_SESSION =
  "Type /model to see the available models. To add a provider, a key or a server, quit and run `agent setup`.";

export default defineCommand({
  path: "setup",
  summary: "Ask for provider, key and model, and for the rest where it is wanted, and store the answers.",
  topic: "start",
  params: z.object({
    section: z
      .string()
      .optional()
      .describe(`one part: ${SETUP_SECTIONS.join(", ")}; default: it is asked for`),
    non_interactive: z.boolean().default(false).describe("ask nothing, take what the environment gives"),
    reset: z.boolean().default(false).describe("forget the settings of before; a copy is kept"),
    reconfigure: z.boolean().default(false).describe("go through every part, also through what is set"),
    quick: z.boolean().default(false).describe("only provider and model, and only where they are missing"),
  }),
  positionals: ["section"],
  surfaces: ["cli", "slash"],
  access: "admin",
  self: "settings",
  outside: true,
  run: async ({ section: given, non_interactive: nonInteractive, reset, reconfigure, quick }, ctx) => {
    const section = SETUP_SECTIONS.find((name) => name === given);
    if (given !== undefined && section === undefined)
      throw new AppError("E_USAGE", `setup has no part ${given}`, {
        section: given,
        hint: `one of ${SETUP_SECTIONS.join(", ")}`,
      });
    // In a session the questions are those of the model picker, which screens open themselves: who gets here has no screen.
    if (ctx.session !== undefined) return { text: IN_SESSION, data: { ok: false } };
    const { outcome, lines } = await ctx.setup.run({ section, nonInteractive, reset, reconfigure, quick });
    return { text: lines.join("\n"), data: { ok: outcome === "ok", lines }, exit: outcome === "ok" ? 0 : 2 };
  },
});
