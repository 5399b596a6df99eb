import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { SETUP_SECTIONS } from "../../contracts/config/setup.js";
import { defineCommand } from "../define.js";

const IN_SESSION =
  "Type /model to see the available models. To add a provider, a key or a server, quit and run `agent setup`.";

const EXIT = { ok: 0, failed: 1, guidance: 2 } as const;

export default defineCommand({
  path: "setup",
  summary: "Set up provider, key, model and optional parts, and store the answers.",
  topic: "start",
  params: z.object({
    section: z
      .string()
      .optional()
      .describe(`section: ${SETUP_SECTIONS.join(", ")} (default: prompt)`),
    non_interactive: z.boolean().default(false).describe("do not prompt; use the environment"),
    reset: z.boolean().default(false).describe("discard earlier settings; a backup is kept"),
    reconfigure: z.boolean().default(false).describe("go through every section, including completed ones"),
    quick: z.boolean().default(false).describe("only set up a missing provider or model"),
  }),
  positionals: ["section"],
  surfaces: ["cli", "slash"],
  access: "admin",
  self: "settings",
  outside: true,
  run: async ({ section: given, non_interactive: nonInteractive, reset, reconfigure, quick }, ctx) => {
    const section = SETUP_SECTIONS.find((name) => name === given);
    if (given !== undefined && section === undefined)
      throw new AppError("E_USAGE", `unknown setup section '${given}'`, {
        section: given,
        hint: `sections: ${SETUP_SECTIONS.join(", ")}`,
      });
    // In a session the questions are those of the model picker, which screens open themselves: who gets here has no screen.
    if (ctx.session !== undefined) return { text: IN_SESSION, data: { ok: false } };
    const { outcome, lines } = await ctx.setup.run({ section, nonInteractive, reset, reconfigure, quick });
    return { text: lines.join("\n"), data: { ok: outcome === "ok", lines }, exit: EXIT[outcome] };
  },
});
