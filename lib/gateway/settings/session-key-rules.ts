import type { Config } from "../../contracts/config/config.js";
import { GATEWAY } from "./gateway-keys.js";
import type { KeyRules } from "./session-key.js";

/** What the settings say of which messages belong to one conversation. */
export const keyRulesOf = (config: Pick<Config, "get">): KeyRules => ({
  perUser: config.get(GATEWAY.perUser),
  perUserInThread: config.get(GATEWAY.perUserInThread),
});
