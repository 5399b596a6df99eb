import { configKey } from "../../contracts/config/config.js";

/** Per provider: `portal_url`, `issuer`, `inference_url`, `client_id`, `scope`. */
export const AUTH_PROVIDERS = configKey<unknown>({
  key: "auth.providers",
  kind: { type: "any" },
  default: {},
  help: "Login addresses by provider: portal_url, issuer, inference_url, client_id, scope. Options of agent auth add override them.",
});

/** Every key of the logins. */
export const LOGIN_KEYS = [AUTH_PROVIDERS] as const;
