import { toAppError } from "../../base/errors.js";
import { expandAlias, findQuickCommand } from "../../commands/slash/quick.js";
import type { Config } from "../../contracts/config/config.js";
import { commandIn } from "../router/command-text.js";
import type { RouterDeps } from "../router/router.js";

export interface QuickDeps {
  readonly config: Pick<Config, "raw">;
  /** Own name of a command that there is; those of the user never stand before it. */
  readonly nameOf: (typed: string) => string | undefined;
}

/** An alias of the user stands for its command before anything asks who may run that (core part, 14.4). */
export function withAliases(run: RouterDeps["command"], { config, nameOf }: QuickDeps): RouterDeps["command"] {
  return async (event, sessionKey) => {
    const name = commandIn(event) ?? "";
    try {
      const quick = nameOf(name) === undefined ? findQuickCommand(config, name) : undefined;
      if (quick?.type !== "alias") return await run(event, sessionKey);
      return await run({ ...event, text: expandAlias(quick.target, event.text.replace(/^\S+\s*/, "")) }, sessionKey);
    } catch (error) {
      return `⚠️ ${toAppError(error).message}`;
    }
  };
}
