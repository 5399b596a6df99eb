import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { Platform } from "../../contracts/gateway/platform.js";
import type { Allowing } from "../admission/allowlists.js";
import { memberOf } from "../admission/member-tier.js";
import { commandIn } from "../router/command-text.js";
import type { CommandSteps } from "./command-steps.js";

export interface PlatformCommandDeps {
  readonly platforms: () => readonly Pick<Platform, "tag" | "commands" | "command">[];
  readonly allowing: (event: Inbound) => Allowing;
}

/** Commands that only one platform has. Who may run them is asked first (gateway part, 8.5). */
export function platformCommands({ platforms, allowing }: PlatformCommandDeps): CommandSteps["platform"] {
  return async (event) => {
    const name = commandIn(event) ?? "";
    const platform = platforms().find(({ tag }) => tag === event.platform);
    if (platform?.command === undefined || !(platform.commands ?? []).includes(name)) return undefined;
    const { tier, allows } = memberOf(event, allowing(event));
    const may = tier !== "member" || allows.includes(name);
    if (!may)
      return `⛔ You may not run /${name} here. You may run: ${[...allows, "help", "whoami"].map((one) => `/${one}`).join(", ")}`;
    return platform.command(event, name, new AbortController().signal);
  };
}
