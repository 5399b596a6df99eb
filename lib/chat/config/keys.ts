import { configKey } from "../../contracts/config/config.js";
import { REASONING_EFFORTS, type ReasoningEffort } from "../../contracts/models/model.js";
import { COMPRESSION_KEYS } from "./compaction-keys.js";

/** Values of `agent.coding_context`. Here, not beside what they mean: a reader of settings loads no more than settings. */
const CODING_MODES = ["auto", "focus", "on", "off"] as const;
export type CodingMode = (typeof CODING_MODES)[number];

export const MAX_TURNS = configKey<number>({
  key: "agent.max_turns",
  kind: { type: "integer", min: 1, max: 10_000 },
  default: 90,
  env: "AGENT_MAX_ITERATIONS",
  help: "Maximum model requests per turn.",
});

export const MAX_TURN_SECONDS = configKey<number>({
  key: "agent.max_turn_seconds",
  kind: { type: "integer", min: 0 },
  default: 0,
  help: "Maximum seconds per turn (0 = no limit). Checked before each model request; a running request is not cut off.",
});

export const MAX_COST_USD = configKey<number | undefined>({
  key: "agent.max_cost_usd",
  kind: { type: "number", min: 0 },
  default: undefined,
  help: "Maximum known cost per session in USD (unset = no limit).",
});

export const TOOLSETS = configKey<readonly string[]>({
  key: "toolsets",
  kind: { type: "strings" },
  default: ["agent-cli"],
  help: "Toolsets offered to sessions.",
});

export const DISABLED_TOOLSETS = configKey<readonly string[]>({
  key: "agent.disabled_toolsets",
  kind: { type: "strings" },
  default: [],
  help: "Toolsets removed last.",
});

export const ENVIRONMENT_HINT = configKey<string>({
  key: "agent.environment_hint",
  kind: { type: "string" },
  default: "",
  env: "AGENT_ENVIRONMENT_HINT",
  help: "Additional sentence about this machine for the system prompt.",
});

export const TASK_COMPLETION_GUIDANCE = configKey<boolean>({
  key: "agent.task_completion_guidance",
  kind: { type: "boolean" },
  default: true,
  help: "Instruct the model to finish its work before answering.",
});

export const TOOL_USE_ENFORCEMENT = configKey<unknown>({
  key: "agent.tool_use_enforcement",
  kind: { type: "any" },
  default: "auto",
  help: "Instruct the model to call tools instead of describing calls: true, false, auto (models known to need it), or a list of parts of model names.",
});

export const CODING_CONTEXT = configKey<CodingMode>({
  key: "agent.coding_context",
  kind: { type: "choice", of: CODING_MODES },
  default: "auto",
  help: "Coding instructions and workspace facts in the system prompt: auto (in a repository or beside a manifest), focus (and offer only coding tools), on, off.",
});

export const MUTATION_VERIFIER = configKey<boolean>({
  key: "display.file_mutation_verifier",
  kind: { type: "boolean" },
  default: true,
  env: "AGENT_FILE_MUTATION_VERIFIER",
  help: "Report below an answer which files a failed edit left unchanged.",
});

export const COMPLETION_EXPLAINER = configKey<boolean>({
  key: "display.turn_completion_explainer",
  kind: { type: "boolean" },
  default: true,
  env: "AGENT_TURN_COMPLETION_EXPLAINER",
  help: "Report why a turn ended without an answer, or with a fragment of one.",
});

export const GOAL_TURNS = configKey<number>({
  key: "goals.max_turns",
  kind: { type: "integer", min: 1, max: 10_000 },
  default: 20,
  help: "Maximum continuations of a standing goal.",
});

export const REASONING_EFFORT = configKey<ReasoningEffort | "">({
  key: "agent.reasoning_effort",
  kind: { type: "choice", of: ["", ...REASONING_EFFORTS] },
  default: "",
  help: "Reasoning effort of models that support it: none, minimal, low, medium, high, xhigh; empty uses the model's default.",
});

export const SHOW_REASONING = configKey<boolean>({
  key: "display.show_reasoning",
  kind: { type: "boolean" },
  default: true,
  help: "Show reasoning.",
});

export const CHAT_KEYS = [
  REASONING_EFFORT,
  SHOW_REASONING,
  MAX_TURNS,
  MAX_TURN_SECONDS,
  MAX_COST_USD,
  TOOLSETS,
  DISABLED_TOOLSETS,
  ENVIRONMENT_HINT,
  TASK_COMPLETION_GUIDANCE,
  TOOL_USE_ENFORCEMENT,
  CODING_CONTEXT,
  MUTATION_VERIFIER,
  COMPLETION_EXPLAINER,
  GOAL_TURNS,
  ...COMPRESSION_KEYS,
] as const;
