import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "sethome",
  aliases: ["set-home"],
  summary: "Make this chat the home channel of its platform, the default target.",
  topic: "gateway",
  params: z.object({}),
  surfaces: ["slash"],
  access: "write",
  self: "settings",
  run: async (_, { origin, settings }) => {
    if (origin === undefined) {
      throw new AppError("E_INVALID", "a terminal cannot be the home channel", {
        hint: "run /sethome in the chat, or set e.g. MSGT_HOME_CHANNEL in .env",
      });
    }
    const name = `${origin.platform.toUpperCase()}_HOME_CHANNEL`;
    await settings.setVariable(name, origin.chat_id);
    await settings.setVariable(`${name}_THREAD_ID`, origin.thread_id || undefined);
    const place = origin.thread_id ? "This thread" : "This chat";
    const data = { platform: origin.platform, chat_id: origin.chat_id, thread_id: origin.thread_id ?? null };
    return { text: `🏠 ${place} is now the home channel of ${origin.platform}.`, data };
  },
});
