import { GUARDRAIL_KEYS } from "./guardrails.js";
import { READ_KEYS } from "./read-file.js";
import { IMAGE_KEYS } from "./terminal/image.js";
import { TERMINAL_KEYS } from "./terminal.js";

/** Configuration keys of the tools. */
export const TOOL_KEYS = [...TERMINAL_KEYS, ...IMAGE_KEYS, ...READ_KEYS, ...GUARDRAIL_KEYS] as const;
