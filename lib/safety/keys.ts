import { configKey } from "../proto/config.js";

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

const MODE = configKey<string>({
  key: "approvals.mode",
  kind: { type: "choice", of: ["manual", "smart", "off"] },
  default: "manual",
  help: "Who is asked about risky calls: you (manual), first a model (smart), nobody (off).",
});

const EDITS = configKey<string>({
  key: "approvals.edits",
  kind: { type: "choice", of: ["allow", "ask"] },
  default: "allow",
  help: "Whether writing files of the project is asked about.",
});

const ALLOWLIST = configKey<readonly string[]>({
  key: "command_allowlist",
  kind: { type: "strings" },
  default: [],
  help: "Risk classes that are allowed everywhere.",
});

/** The keys of approvals one by one, for the code that builds an `ApprovalScope`. */
export const APPROVAL = { mode: MODE, edits: EDITS, allowlist: ALLOWLIST } as const;

export const PASSTHROUGH = configKey<readonly string[]>({
  key: "terminal.env_passthrough",
  kind: { type: "strings" },
  default: [],
  help: "Names of environment variables that commands of the agent may see although they look like secrets.",
});

export const SAFETY_KEYS = [ALLOW_PRIVATE, REDACT_SECRETS, MODE, EDITS, ALLOWLIST, PASSTHROUGH] as const;
