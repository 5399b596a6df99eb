import { configKey } from "../config/config.js";

export const MEMORY_ENABLED = configKey<boolean>({
  key: "memory.memory_enabled",
  kind: { type: "boolean" },
  default: true,
  help: "Keep notes of the agent and give them to new conversations.",
});

export const MEMORY_USER_ENABLED = configKey<boolean>({
  key: "memory.user_profile_enabled",
  kind: { type: "boolean" },
  default: true,
  help: "Keep what the agent knows of its user and give it to new conversations.",
});

export const MEMORY_WRITE_APPROVAL = configKey<boolean>({
  key: "memory.write_approval",
  kind: { type: "boolean" },
  default: false,
  help: "Let every change of the memory wait for a person: agent memory pending.",
});

export const MEMORY_CHAR_LIMIT = configKey<number>({
  key: "memory.memory_char_limit",
  kind: { type: "integer", min: 100, max: 100_000 },
  default: 2_200,
  help: "Characters of each file of notes: of the home, of a project, of a board.",
});

export const MEMORY_USER_CHAR_LIMIT = configKey<number>({
  key: "memory.user_char_limit",
  kind: { type: "integer", min: 100, max: 100_000 },
  default: 1_375,
  help: "Characters of the file with what is known of the user.",
});

export const MEMORY_PROVIDER = configKey<string>({
  key: "memory.provider",
  kind: { type: "string" },
  default: "",
  help: "Key of the plugin whose memory is used beside the files; empty: none is chosen by name.",
});

/** Settings of the memory. */
export const MEMORY_KEYS = [
  MEMORY_ENABLED,
  MEMORY_USER_ENABLED,
  MEMORY_WRITE_APPROVAL,
  MEMORY_CHAR_LIMIT,
  MEMORY_USER_CHAR_LIMIT,
  MEMORY_PROVIDER,
] as const;
