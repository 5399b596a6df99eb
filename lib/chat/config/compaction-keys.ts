import { configKey } from "../../contracts/config/config.js";

export const COMPRESSION_ENABLED = configKey<boolean>({
  key: "compression.enabled",
  kind: { type: "boolean" },
  default: true,
  help: "Compact large conversations automatically. When off, use /compress.",
});

export const COMPRESSION_THRESHOLD = configKey<number>({
  key: "compression.threshold",
  kind: { type: "number", min: 0.05, max: 0.95 },
  default: 0.5,
  help: "Share of the context window at which a conversation is compacted.",
});

export const COMPRESSION_MODELS = configKey<unknown>({
  key: "compression.models",
  kind: { type: "any" },
  default: {},
  help: "Settings per model: compression.models.<model>.threshold.",
});

export const COMPRESSION_TARGET_RATIO = configKey<number>({
  key: "compression.target_ratio",
  kind: { type: "number", min: 0.1, max: 0.8 },
  default: 0.2,
  help: "Share of the trigger that recent messages may fill after a compaction.",
});

export const COMPRESSION_PROTECT_FIRST = configKey<number>({
  key: "compression.protect_first_n",
  kind: { type: "integer", min: 0, max: 100 },
  default: 3,
  help: "Number of first messages that every compaction keeps.",
});

export const COMPRESSION_PROTECT_LAST = configKey<number>({
  key: "compression.protect_last_n",
  kind: { type: "integer", min: 2, max: 1000 },
  default: 20,
  help: "Maximum number of recent messages that a compaction keeps.",
});

export const COMPRESSION_ABORT = configKey<boolean>({
  key: "compression.abort_on_summary_failure",
  kind: { type: "boolean" },
  default: false,
  help: "Skip compaction if no model can summarize; when false, write a shorter summary without a model.",
});

export const COMPRESSION_HYGIENE = configKey<number>({
  key: "compression.hygiene_hard_message_limit",
  kind: { type: "integer", min: 10 },
  default: 400,
  help: "Messages at which a conversation on a messaging platform is compacted before its next turn.",
});

export const COMPRESSION_ENGINE = configKey<string>({
  key: "compression.engine",
  kind: { type: "string" },
  default: "",
  help: "Context engine of a plugin that writes the summaries; empty: a model does.",
});

export const COMPRESSION_KEYS = [
  COMPRESSION_ENABLED,
  COMPRESSION_THRESHOLD,
  COMPRESSION_MODELS,
  COMPRESSION_TARGET_RATIO,
  COMPRESSION_PROTECT_FIRST,
  COMPRESSION_PROTECT_LAST,
  COMPRESSION_ABORT,
  COMPRESSION_HYGIENE,
  COMPRESSION_ENGINE,
] as const;
