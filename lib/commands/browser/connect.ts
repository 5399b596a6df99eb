import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { type CommandContext, defineCommand } from "../define.js";
import { browserText } from "./text.js";

/** Where a browser listens that was started as its hint says. */
const USUAL = "http://127.0.0.1:9222";

const WARNING =
  "Browser tools now act in this browser, with your logins and in your name. /browser disconnect ends that.";

export default defineCommand({
  path: "browser connect",
  summary: "Let the browser tools act in a browser that is running already.",
  topic: "browser",
  params: z.object({
    url: z.string().max(2_000).default(USUAL).describe(`debugging endpoint (default ${USUAL})`),
    yes: z.boolean().default(false).describe("Connect to an endpoint on another machine."),
  }),
  positionals: ["url"],
  surfaces: ["slash", "rpc"],
  access: "admin",
  self: "settings",
  run: async ({ url, yes }, ctx) => {
    requireAdmin(ctx);
    if (!isLoopback(url) && !yes) {
      throw new AppError(
        "E_INVALID",
        `${url} is not on this machine: anyone in between can read and change what tools do there`,
        {
          hint: `/browser connect ${url} --yes connects anyway`,
        },
      );
    }
    const status = await ctx.browser.connect(url);
    return { text: `${browserText(status)}\n${WARNING}`, data: status };
  },
});

/** @throws E_FORBIDDEN for a member of a chat whose browser it is not */
function requireAdmin({ origin, member }: CommandContext): void {
  if (origin === undefined || member?.tier === "admin") return;
  throw new AppError("E_FORBIDDEN", "only an admin of this chat may connect a browser");
}

function isLoopback(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, "") : "";
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}
