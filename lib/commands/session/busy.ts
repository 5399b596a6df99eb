import * as z from "zod";
import { BUSY_MODES, type BusyMode } from "../../contracts/chat/queue.js";
import { defineCommand } from "../define.js";

const KEY = "display.busy_input_mode";

const MEANING: Readonly<Record<BusyMode, string>> = {
  auto: "waits in the queue (on messaging platforms it interrupts)",
  queue: "waits in the queue",
  steer: "goes to the running turn with the next tool result",
  interrupt: "interrupts the turn and runs next",
};

export default defineCommand({
  path: "busy",
  summary: "Choose what Enter does during a turn.",
  topic: "queue",
  params: z.object({
    mode: z
      .enum([...BUSY_MODES, "status"])
      .default("status")
      .describe("new mode"),
  }),
  positionals: ["mode"],
  surfaces: ["slash"],
  access: "write",
  run: async ({ mode }, ctx) => {
    if (mode !== "status") await ctx.settings.set(KEY, mode, { asText: true, force: false });
    const now = mode === "status" ? String(ctx.settings.get(KEY)?.value ?? "auto") : mode;
    const means = BUSY_MODES.find((one) => one === now) ?? "auto";
    return { text: `${now}: a message sent during a turn ${MEANING[means]}.`, data: { mode: now } };
  },
});
