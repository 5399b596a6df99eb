import type { AppOptions } from "../../config/app-options.js";
import type { McpLoginAsk } from "../../contracts/mcp/mcp.js";
import { openPage } from "./open-browser.js";

/** A login whose address is also opened in the browser of the person, where they have a screen. */
export const showMcpPage =
  ({ spawner, log }: Pick<AppOptions, "spawner" | "log">) =>
  (ask: McpLoginAsk): McpLoginAsk => ({
    ...ask,
    open: async (url) => {
      await ask.open(url);
      if (ask.browser === undefined) return;
      await openPage(spawner, url, ask.browser).catch((error: unknown) => {
        log.warning("failed to open the login page", { error: String(error) }); // its address is on the screen of the caller
      });
    },
  });
