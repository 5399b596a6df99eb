import { configKey } from "../proto/config.js";
import { APPROVAL_KEYS } from "./approve.js";
import { ENV_KEYS } from "./env.js";

export const ALLOW_PRIVATE = configKey<boolean>({
  key: "security.allow_private_urls",
  kind: { type: "boolean" },
  default: false,
  env: "AGENT_ALLOW_PRIVATE_URLS",
  help: "Let tools reach private and loopback addresses. Metadata addresses stay blocked.",
});

export const REDACT_SECRETS = configKey<boolean>({
  key: "security.redact_secrets",
  kind: { type: "boolean" },
  default: true,
  env: "AGENT_REDACT_SECRETS",
  help: "Replace secrets by placeholders in everything that is stored, shown or logged. Read once at start.",
});

export const SAFETY_KEYS = [ALLOW_PRIVATE, REDACT_SECRETS, ...APPROVAL_KEYS, ...ENV_KEYS] as const;
