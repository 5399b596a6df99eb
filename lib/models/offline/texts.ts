import { OFFLINE_RULES } from "./rules.js";

/** What a form needs; a form that is not here needs nothing. */
const NEEDS: ReadonlyMap<string, string> = new Map([
  ["list files [in DIR]; find files GLOB", "search_files"],
  ["add task TITLE [for PROFILE]; list tasks", "kanban_create"],
  ["what did we say about X; search sessions X", "session_search"],
  ["write FILE: TEXT; create FILE with TEXT; write TEXT to FILE", "write_file"],
  ["replace OLD with NEW in FILE", "patch"],
  ["read FILE; show FILE", "read_file"],
  ["search TEXT [in DIR]; grep TEXT", "search_files"],
  ["run COMMAND; $ COMMAND", "terminal"],
  ["remember TEXT; forget TEXT", "memory"],
  ["todo A; B; C; done N; todo", "todo"],
  ["open URL", "web_extract"],
  ["ask me CHOICES", "clarify"],
]);

/** Forms in the list of abilities, in the order of the table; rules that belong together share a form. */
const FORMS = [...new Set(OFFLINE_RULES.map((rule) => rule.form))];

/** Says what answers here, what it understands with these tools and how to get a real model. */
export function describeAssistant(offered: ReadonlySet<string>): string {
  const able = FORMS.filter((form) => {
    const tool = NEEDS.get(form);
    return tool === undefined || offered.has(tool);
  });
  return [
    "I am the built-in offline assistant: rule-based, no language model. I understand:",
    ...able.map((form) => `  - ${form}`),
    '  - several of these, separated by " then " or by new lines; two reads with " and " run at once',
    REAL_MODEL,
  ].join("\n");
}

const REAL_MODEL =
  "To add a model, type /setup, or run `agent setup`. A local server (Ollama on port 11434, LM Studio on 1234, llama.cpp on 8080) is detected automatically.";

/** Names what no rule understands. */
export const notUnderstood = (parts: readonly string[]) =>
  parts.length === 1
    ? `I don't understand: ${parts[0]}`
    : `I don't understand:\n${parts.map((part) => `  ${part}`).join("\n")}`;
