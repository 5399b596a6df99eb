/** Parts of model names that announce a call more often than they make it. */
const NEED_IT = ["gpt", "codex", "gemini", "gemma", "grok", "glm", "qwen", "deepseek"];

const CALL_TOOLS =
  "When something needs a tool, call it in the same response. Do not end a response with a plan or a promise of what you would do next: " +
  "either it holds tool calls that bring the job forward, or it is the final answer. Facts about files, programs, time and this machine come from " +
  "tools, not from memory.";

/** What some families need beside that. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [
    /gpt|codex/,
    "Keep going until the request is done; when a result is empty or wrong, try another way before you give up. Look before you ask, verify before you answer.",
  ],
  [
    /gemini|gemma/,
    "Use absolute paths, read a file before you change it, ask for independent things in one response, and pass flags that keep programs from waiting for input.",
  ],
];

/** Paragraphs that make a model call tools (core part, 7.1 item 8), by the setting `agent.tool_use_enforcement` and the name of the model. */
export function toolUsePrompt(setting: unknown, model: string): string | undefined {
  const name = model.toLowerCase();
  if (!wanted(setting, name)) return undefined;
  const more = FAMILIES.flatMap(([family, text]) => (family.test(name) ? [text] : []));
  return [CALL_TOOLS, ...more].join("\n\n");
}

/** What is neither a truth value nor a list counts as `auto`. */
function wanted(setting: unknown, name: string): boolean {
  if (typeof setting === "boolean") return setting;
  if (setting === "true" || setting === "false") return setting === "true";
  const parts: readonly unknown[] = Array.isArray(setting) ? setting : NEED_IT;
  return parts.some((part) => typeof part === "string" && part !== "" && name.includes(part.toLowerCase()));
}
