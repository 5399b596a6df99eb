import { configKey } from "../../contracts/config/config.js";

export const COMPRESSION_ENABLED = configKey<boolean>({
  key: "compression.enabled",
  kind: { type: "boolean" },
  default: true,
  help: "Compact a conversation by itself when it grows large; false leaves it to /compress.",
});

export const COMPRESSION_THRESHOLD = configKey<number>({
  key: "compression.threshold",
  kind: { type: "number", min: 0.05, max: 0.95 },
  default: 0.5,
  help: "Share of the window at which a conversation is compacted.",
});

export const COMPRESSION_MODELS = configKey<unknown>({
  key: "compression.models",
  kind: { type: "any" },
  default: {},
  help: "Settings of single models, by their name: compression.models.<model>.threshold.",
});

export const COMPRESSION_TARGET_RATIO = configKey<number>({
  key: "compression.target_ratio",
  kind: { type: "number", min: 0.1, max: 0.8 },
  default: 0.2,
  help: "Share of the trigger that the newest messages may fill after a compaction.",
});

export const COMPRESSION_PROTECT_FIRST = configKey<number>({
  key: "compression.protect_first_n",
  kind: { type: "integer", min: 0, max: 100 },
  default: 3,
  help: "First messages that every compaction keeps.",
});

export const COMPRESSION_PROTECT_LAST = configKey<number>({
  key: "compression.protect_last_n",
  kind: { type: "integer", min: 2, max: 1000 },
  default: 20,
  help: "Newest messages that a compaction keeps at most.",
});

export const COMPRESSION_ABORT = configKey<boolean>({
  key: "compression.abort_on_summary_failure",
  kind: { type: "boolean" },
  default: false,
  help: "Leave a conversation as it is when no model can summarise it; false lets the program write a shorter summary itself.",
});

export const COMPRESSION_HYGIENE = configKey<number>({
  key: "compression.hygiene_hard_message_limit",
  kind: { type: "integer", min: 10 },
  default: 400,
  help: "Messages at which a conversation on a messaging platform is compacted before its next turn.",
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
] as const;
