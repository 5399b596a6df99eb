import { configKey } from "../config/config.js";

export const SKILLS_EXTERNAL_DIRS = configKey<readonly string[]>({
  key: "skills.external_dirs",
  kind: { type: "strings" },
  default: [],
  help: "More directories of skills; a skill of the home wins over one of the same name there.",
});

export const SKILLS_DISABLED = configKey<readonly string[]>({
  key: "skills.disabled",
  kind: { type: "strings" },
  default: [],
  help: "Names of skills that are switched off.",
});

export const SKILLS_BUNDLED = configKey<boolean>({
  key: "skills.bundled",
  kind: { type: "boolean" },
  default: true,
  help: "Offer the skills that come with the product.",
});

export const SKILLS_INDEX_TOKENS = configKey<number>({
  key: "skills.index_tokens",
  kind: { type: "integer", min: 200, max: 100_000 },
  default: 4_000,
  help: "Tokens of the list of skills in the prompt. No skill is left out: descriptions are shortened first.",
});

export const SKILLS_PLATFORM_DISABLED = configKey<unknown>({
  key: "skills.platform_disabled",
  kind: { type: "any" },
  default: {},
  help: "Names of skills that are switched off on one platform only: a map from cli, workspace, worker or a platform to names.",
});

export const SKILLS_TEMPLATE_VARS = configKey<boolean>({
  key: "skills.template_vars",
  kind: { type: "boolean" },
  default: true,
  help: "Replace the variables AGENT_SKILL_DIR and AGENT_SESSION_ID in the text of skills.",
});

export const SKILLS_INLINE_SHELL = configKey<boolean>({
  key: "skills.inline_shell",
  kind: { type: "boolean" },
  default: false,
  help: "Run !`command` in the text of skills that the model reads, under the rules of the terminal. Never for project and hub skills.",
});

export const SKILLS_INLINE_SHELL_TIMEOUT = configKey<number>({
  key: "skills.inline_shell_timeout",
  kind: { type: "integer", min: 1, max: 300 },
  default: 10,
  help: "Seconds that one such command may take.",
});

export const SKILLS_CONFIG = configKey<unknown>({
  key: "skills.config",
  kind: { type: "any" },
  default: {},
  help: "Values of the settings that skills declare, by their keys.",
});

export const SKILLS_HUB_SOURCES = configKey<readonly string[]>({
  key: "skills.hub.sources",
  kind: { type: "strings" },
  default: [],
  help: "Addresses of marketplaces: each answers with an index of skills (https://host/index.json).",
});

export const SKILLS_HUB_TAPS = configKey<readonly string[]>({
  key: "skills.hub.taps",
  kind: { type: "strings" },
  default: [],
  help: "Repositories that `agent skills search` looks through: owner/repo[/dir][@ref] or an address of git.",
});

export const SKILLS_HUB_TRUSTED = configKey<readonly string[]>({
  key: "skills.hub.trusted",
  kind: { type: "strings" },
  default: [],
  help: "Repositories (owner/repo) and hosts whose skills install despite findings that advise caution.",
});

export const SKILLS_GUARD_AGENT_CREATED = configKey<boolean>({
  key: "skills.guard_agent_created",
  kind: { type: "boolean" },
  default: false,
  help: "Scan skills that the agent writes; a dangerous one needs approval.",
});

export const SKILLS_WRITE_APPROVAL = configKey<boolean>({
  key: "skills.write_approval",
  kind: { type: "boolean" },
  default: false,
  help: "Stage changes that the agent makes to skills until you approve them (/skills pending).",
});

/** Settings of skills. */
export const SKILL_KEYS = [
  SKILLS_EXTERNAL_DIRS,
  SKILLS_DISABLED,
  SKILLS_PLATFORM_DISABLED,
  SKILLS_BUNDLED,
  SKILLS_INDEX_TOKENS,
  SKILLS_TEMPLATE_VARS,
  SKILLS_INLINE_SHELL,
  SKILLS_INLINE_SHELL_TIMEOUT,
  SKILLS_CONFIG,
  SKILLS_HUB_SOURCES,
  SKILLS_HUB_TAPS,
  SKILLS_HUB_TRUSTED,
  SKILLS_GUARD_AGENT_CREATED,
  SKILLS_WRITE_APPROVAL,
] as const;
