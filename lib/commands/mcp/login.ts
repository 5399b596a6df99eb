import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";
import { plain } from "../render/plain.js";

const PASTE_BYTES = 16 << 10;
const PASTE = "Paste the final address of the browser, or the code in it (hidden): ";

export default defineCommand({
  path: "mcp login",
  summary: "Log in to an MCP server with a browser; the login is stored in the home.",
  topic: "mcp",
  params: z.object({
    name: z.string().describe("server"),
    no_browser: z.boolean().default(false).describe("print the address only"),
    manual_paste: z.boolean().default(false).describe("listen for no browser; paste the final address or its code"),
  }),
  positionals: ["name"],
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  stdin: true,
  run: async ({ name, no_browser, manual_paste }, ctx) => {
    const open = (url: string) => ctx.err(`Open this address and log in:\n  ${plain(url)}\nWaiting ...\n`);
    const paste = async () => (await ctx.stdin(PASTE_BYTES, PASTE)).trim() || undefined;
    try {
      await ctx.mcp.login(
        name,
        { open, ...(manual_paste ? { paste } : {}), ...(no_browser || manual_paste ? {} : { browser: ctx.env }) },
        ctx.signal,
      );
    } catch (error) {
      if (!ctx.signal.aborted) throw error;
      throw new AppError("E_INTERRUPTED", "login cancelled; nothing stored", {}, error);
    }
    return { text: `Logged in to ${name}`, data: { ok: true, name } };
  },
});
