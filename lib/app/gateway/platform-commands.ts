import type { Allowing } from "../../gateway/allowlists.js";
import { commandIn } from "../../gateway/commands.js";
import { memberOf } from "../../gateway/tiers.js";
import type { Inbound } from "../../proto/gateway.js";
import type { Platform } from "../../proto/gateway-platform.js";

type Run = (event: Inbound, sessionKey: string) => Promise<string>;

export interface PlatformCommandDeps {
  readonly platforms: () => readonly Pick<Platform, "tag" | "commands" | "command">[];
  readonly allowing: (event: Inbound) => Allowing;
}

/** Commands that only one platform has, before those that all have: `run`. Who may run them is asked first (gateway part, 8.5). */
export function commandsOfPlatforms(run: Run, { platforms, allowing }: PlatformCommandDeps): Run {
  return async (event, sessionKey) => {
    const name = commandIn(event) ?? "";
    const platform = platforms().find(({ tag }) => tag === event.platform);
    if (platform?.command === undefined || !(platform.commands ?? []).includes(name)) return run(event, sessionKey);
    const { tier, allows } = memberOf(event, allowing(event));
    const may = tier !== "member" || allows.includes(name);
    if (!may) return `⛔ You may not run /${name} here. You may run: ${[...allows, "help", "whoami"].map((one) => `/${one}`).join(", ")}`;
    return platform.command(event, name, new AbortController().signal);
  };
}
