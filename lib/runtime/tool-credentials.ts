import { join } from "node:path";
import { once } from "../base/async/lazy.js";
import { exists } from "../base/fs/home-files.js";
import { loginRoot } from "../base/home.js";
import type { ToolCredentials } from "../contracts/models/tool-credentials.js";
import { descriptorOf } from "../logins/core/descriptors.js";
import type { OutsideContext, OutsideOptions } from "./outside-part.js";

/** The credentials of a provider for tools. Logins are loaded where a login, a key or a setting of it can be. */
export function toolCredentials(
  { home, config }: Pick<OutsideOptions, "home" | "config">,
  around: Pick<OutsideContext, "logins">,
  provider: string,
): ToolCredentials {
  const loaded = once(async () => {
    const { createToolCredentials } = await import("../logins/tool-credentials.js");
    return createToolCredentials(await around.logins(), provider);
  });
  const thinkable = (): boolean =>
    exists(join(loginRoot(home), "auth.json")) ||
    config.raw(`providers.${provider}`) !== undefined ||
    (descriptorOf(provider)?.keyVariables ?? []).some((name) => config.hasVariable(name));
  return {
    exists: async (choice) => thinkable() && (await loaded()).exists(choice),
    get: async (choice, baseUrl, signal) => (await loaded()).get(choice, baseUrl, signal),
    renew: async (refused, signal) => (await loaded()).renew(refused, signal),
    worked: async (used) => (await loaded()).worked(used),
  };
}
