import { configKey } from "../../contracts/config/config.js";
import { CODE } from "./code-keys.js";
import { DELEGATION } from "./delegate-keys.js";

export const TERMINAL_TIMEOUT = configKey<number>({
  key: "terminal.timeout",
  kind: { type: "integer", min: 1 },
  default: 180,
  help: "Seconds after which a foreground command is ended.",
});

export const TERMINAL_CWD = configKey<string>({
  key: "terminal.cwd",
  kind: { type: "string" },
  default: ".",
  help: "Directory that delegated work begins in, relative to that of its conversation, and chats and jobs, relative to your own; what you start yourself begins where you are.",
});

export const SOURCE_BASHRC = configKey<boolean>({
  key: "terminal.auto_source_bashrc",
  kind: { type: "boolean" },
  default: true,
  help: "Load ~/.bashrc into the shell of the agent's commands.",
});

export const INIT_FILES = configKey<readonly string[]>({
  key: "terminal.shell_init_files",
  kind: { type: "strings" },
  default: [],
  help: "More files to load into the shell of the agent's commands.",
});

export const READ_MAX_CHARS = configKey<number>({
  key: "file_read_max_chars",
  kind: { type: "integer", min: 1_000 },
  default: 100_000,
  help: "Most characters that one read_file answer may hold.",
});

export const CONTEXT_FILE_MAX_CHARS = configKey<number>({
  key: "context_file_max_chars",
  kind: { type: "integer", min: 1_000, max: 1_000_000 },
  default: 20_000,
  help: "Most characters of one file with standing instructions (AGENTS.md, SOUL.md) that the system prompt holds.",
});

export const TOOL_OUTPUT_BYTES = configKey<number>({
  key: "tool_output.max_bytes",
  kind: { type: "integer", min: 1_000, max: 1_000_000 },
  default: 50_000,
  help: "Output of one command or program that the model is shown: characters of a command, bytes of a program.",
});

export const GUARD_WARNINGS = configKey<boolean>({
  key: "tool_loop_guardrails.warnings_enabled",
  kind: { type: "boolean" },
  default: true,
  help: "Tell the model when it repeats a failing or fruitless call.",
});

export const GUARD_HARD_STOP = configKey<boolean>({
  key: "tool_loop_guardrails.hard_stop_enabled",
  kind: { type: "boolean" },
  default: false,
  help: "Block a call that keeps failing, and end a turn whose tool keeps failing.",
});

export const GUARD_WARN_AFTER = configKey<unknown>({
  key: "tool_loop_guardrails.warn_after",
  kind: { type: "any" },
  default: { exact: 2, same_tool: 3, no_progress: 2 },
  help: "Failures of the same call, failures of the same tool, and equal results after which the model is warned.",
});

export const GUARD_STOP_AFTER = configKey<unknown>({
  key: "tool_loop_guardrails.hard_stop_after",
  kind: { type: "any" },
  default: { exact: 5, same_tool: 8, no_progress: 5 },
  help: "The same counts after which a call is blocked or the turn ended, when hard_stop_enabled is set.",
});

/** Tools that are looked up before they are called (core part, 16.2). */
export const TOOL_SEARCH = {
  enabled: configKey<"auto" | "true" | "false">({
    key: "tools.tool_search.enabled",
    kind: { type: "choice", of: ["auto", "true", "false"] },
    default: "auto",
    help: "Offer seldom used tools through tool_search: auto (when their schemas are large for the model), true, false.",
  }),
  thresholdPct: configKey<number>({
    key: "tools.tool_search.threshold_pct",
    kind: { type: "number", min: 0, max: 100 },
    default: 10,
    help: "Percent of the model's window that the schemas of seldom used tools may take before they are looked up instead.",
  }),
  limit: configKey<number>({
    key: "tools.tool_search.search_default_limit",
    kind: { type: "integer", min: 1, max: 100 },
    default: 5,
    help: "Tools that one tool_search shows.",
  }),
  most: configKey<number>({
    key: "tools.tool_search.max_search_limit",
    kind: { type: "integer", min: 1, max: 100 },
    default: 20,
    help: "Most tools that one tool_search may ask for.",
  }),
} as const;

export const CLARIFY_TIMEOUT = configKey<number>({
  key: "clarify.timeout",
  kind: { type: "integer", min: 0, max: 86_400 },
  default: 120,
  help: "Seconds that a question of the model waits until a key is pressed; 0 waits for ever.",
});

export const CHAT_CLARIFY_TIMEOUT = configKey<number>({
  key: "agent.clarify_timeout",
  kind: { type: "integer", min: 1, max: 86_400 },
  default: 600,
  help: "Seconds that a question of the model waits in a chat on a messaging platform.",
});

/** Configuration keys of the tools. They stand apart from the tools, which are loaded only when a model calls one. */
export const TOOL_KEYS = [
  TERMINAL_TIMEOUT,
  TERMINAL_CWD,
  CLARIFY_TIMEOUT,
  CHAT_CLARIFY_TIMEOUT,
  SOURCE_BASHRC,
  INIT_FILES,
  READ_MAX_CHARS,
  CONTEXT_FILE_MAX_CHARS,
  TOOL_OUTPUT_BYTES,
  GUARD_WARNINGS,
  GUARD_HARD_STOP,
  GUARD_WARN_AFTER,
  GUARD_STOP_AFTER,
  ...Object.values(TOOL_SEARCH),
  ...Object.values(DELEGATION),
  ...Object.values(CODE),
] as const;
