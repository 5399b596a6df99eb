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

export const TRUST_PROXY = configKey<boolean>({
  key: "security.trust_proxy",
  kind: { type: "boolean" },
  default: false,
  help: "Send requests of the program through the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names; NO_PROXY applies.",
});

const EXTRA_HOSTS = configKey<readonly string[]>({
  key: "security.extra_blocked_hosts",
  kind: { type: "strings" },
  default: [],
  help: "Hosts that tools never reach, each with everything below its name.",
});

const LIST_ENABLED = configKey<boolean>({
  key: "security.website_blocklist.enabled",
  kind: { type: "boolean" },
  default: false,
  help: "Whether the block list of websites applies.",
});

const LIST_DOMAINS = configKey<readonly string[]>({
  key: "security.website_blocklist.domains",
  kind: { type: "strings" },
  default: [],
  help: "Domains on the block list, each with everything below its name.",
});

const LIST_FILES = configKey<readonly string[]>({
  key: "security.website_blocklist.shared_files",
  kind: { type: "strings" },
  default: [],
  help: "Files with further domains, one a line, or in the form of a hosts file.",
});

/** Hosts that tools do not reach (core part, 21.4). */
export const BLOCKED_SITES = {
  extraHosts: EXTRA_HOSTS,
  enabled: LIST_ENABLED,
  domains: LIST_DOMAINS,
  files: LIST_FILES,
} as const;

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
  help: "Who approves risky calls: you (manual), a model first (smart), no one (off).",
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
  help: "What to do with a risky call in a scheduled conversation, where no one can be asked.",
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
  help: "Install a missing language server automatically after a write that needs it. Install commands are not affected.",
});

export const SAFETY_KEYS = [
  ALLOW_PRIVATE,
  FAKE_IP_RANGES,
  TRUST_PROXY,
  EXTRA_HOSTS,
  LIST_ENABLED,
  LIST_DOMAINS,
  LIST_FILES,
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
