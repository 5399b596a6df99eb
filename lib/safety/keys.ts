import { configKey } from "../proto/config.js";
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

export const APPROVALS_MODE = configKey<string>({
  key: "approvals.mode",
  kind: { type: "choice", of: ["manual", "smart", "off"] },
  default: "manual",
  help: "Whether risky calls are asked about; off allows what no deny rule and no hard block stops.",
});

export const APPROVALS_EDITS = configKey<string>({
  key: "approvals.edits",
  kind: { type: "choice", of: ["allow", "ask"] },
  default: "allow",
  help: "Whether writes inside the project need approval.",
});

export const COMMAND_ALLOWLIST = configKey<readonly string[]>({
  key: "command_allowlist",
  kind: { type: "strings" },
  default: [],
  help: "Risk classes that are allowed everywhere.",
});

export const SAFETY_KEYS = [ALLOW_PRIVATE, REDACT_SECRETS, APPROVALS_MODE, APPROVALS_EDITS, COMMAND_ALLOWLIST, ...ENV_KEYS] as const;
