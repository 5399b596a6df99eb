import { configKey } from "../../contracts/config/config.js";

export const ALLOW_PRIVATE = configKey<boolean>({
  key: "security.allow_private_urls",
  kind: { type: "boolean" },
  default: false,
  env: "AGENT_ALLOW_PRIVATE_URLS",
  help: "Let tools reach private and loopback addresses. Metadata addresses stay blocked.",
});

export const FAKE_IP_RANGES = configKey<readonly string[]>({
  key: "security.fake_ip_ranges",
  kind: { type: "strings" },
  default: [],
  help: "Ranges that a local proxy or VPN answers for public names, such as 198.18.0.0/15: a name may lead there, never an address.",
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

const TIMEOUT = configKey<number>({
  key: "approvals.timeout",
  kind: { type: "integer", min: 1, max: 86_400 },
  default: 300,
  help: "Seconds that a question about a call waits for an answer; then the call is denied.",
});

const CHAT_TIMEOUT = configKey<number>({
  key: "approvals.gateway_timeout",
  kind: { type: "integer", min: 1, max: 86_400 },
  default: 300,
  help: "The same in a chat on a messaging platform.",
});

const CRON = configKey<string>({
  key: "approvals.cron_mode",
  kind: { type: "choice", of: ["deny", "approve"] },
  default: "deny",
  help: "What becomes of a risky call in a scheduled conversation, where no one can be asked.",
});

const CAGED = configKey<string>({
  key: "approvals.caged",
  kind: { type: "choice", of: ["allow", "ask"] },
  default: "allow",
  help: "Whether commands that cannot be judged by their text run in the cage without a question (allow) or need approval (ask).",
});

/** The keys of approvals one by one, for the code that builds an `ApprovalScope` and asks. */
export const APPROVAL = {
  mode: MODE,
  edits: EDITS,
  allowlist: ALLOWLIST,
  timeout: TIMEOUT,
  chatTimeout: CHAT_TIMEOUT,
  cron: CRON,
  caged: CAGED,
} as const;

const CAGE_USE = configKey<string>({
  key: "terminal.cage",
  kind: { type: "choice", of: ["auto", "required", "off"] },
  default: "auto",
  help: "Run commands in a cage: where it works (auto), always or not at all (required), never (off).",
});

const CAGE_WRITABLE = configKey<readonly string[]>({
  key: "terminal.cage_writable",
  kind: { type: "strings" },
  default: [
    "~/.cache",
    "~/.npm",
    "~/.yarn",
    "~/.bun/install",
    "~/.local/share/pnpm",
    "~/.local/share/uv",
    "~/.cargo/registry",
    "~/.cargo/git",
    "~/go/pkg",
    "~/.gradle",
    "~/.m2",
  ],
  help: "Directories beside the project that commands in the cage can write, as far as they exist.",
});

const CAGE_NETWORK = configKey<string>({
  key: "terminal.cage_network",
  kind: { type: "choice", of: ["host", "none"] },
  default: "host",
  help: "Network of commands in the cage: that of this machine (host) or none.",
});

/** The keys of the cage that commands run in (core part, 20.9). */
export const CAGE = { use: CAGE_USE, writable: CAGE_WRITABLE, network: CAGE_NETWORK } as const;

const SCANNER_COMMAND = configKey<string>({
  key: "security.scanner_command",
  kind: { type: "string" },
  default: "",
  help: "Program that looks at every command of the agent first: JSON on its standard input, exit 0 finds nothing, exit 1 finds what its first line says.",
});

const SCANNER_TIMEOUT = configKey<number>({
  key: "security.scanner_timeout",
  kind: { type: "integer", min: 1, max: 60 },
  default: 5,
  help: "Seconds that the scanner may take.",
});

const SCANNER_FAIL_OPEN = configKey<boolean>({
  key: "security.scanner_fail_open",
  kind: { type: "boolean" },
  default: true,
  help: "A scanner that fails finds nothing; otherwise its failure is a finding.",
});

/** The keys of the scanner of commands. */
export const SCANNER = { command: SCANNER_COMMAND, timeout: SCANNER_TIMEOUT, failOpen: SCANNER_FAIL_OPEN } as const;

export const PASSTHROUGH = configKey<readonly string[]>({
  key: "terminal.env_passthrough",
  kind: { type: "strings" },
  default: [],
  help: "Names of environment variables that commands of the agent may see although they look like secrets.",
});

export const ALLOW_LAZY_INSTALLS = configKey<boolean>({
  key: "security.allow_lazy_installs",
  kind: { type: "boolean" },
  default: true,
  help: "Install a missing language server by itself after a write that needed it. Commands that install are not affected.",
});

export const SAFETY_KEYS = [
  ALLOW_PRIVATE,
  FAKE_IP_RANGES,
  REDACT_SECRETS,
  MODE,
  EDITS,
  ALLOWLIST,
  TIMEOUT,
  CHAT_TIMEOUT,
  CRON,
  CAGED,
  CAGE_USE,
  CAGE_WRITABLE,
  CAGE_NETWORK,
  SCANNER_COMMAND,
  SCANNER_TIMEOUT,
  SCANNER_FAIL_OPEN,
  PASSTHROUGH,
  ALLOW_LAZY_INSTALLS,
] as const;
