import { RULES } from "./rules.js";

/** Forms in the list of abilities, in the order of the table; rules that belong together share a form. */
const FORMS = [...new Set(RULES.map((rule) => rule.form))];

/** Says what answers here, what it understands and how to get a real model. */
export const ABOUT = [
  "I am the built-in offline stand-in: a set of rules, no language model. I understand:",
  ...FORMS.map((form) => `  - ${form}`),
  '  - several of these, separated by " then " or by new lines; two reads with " and " run at once',
  "For a real model run `agent setup`, or start a local server (Ollama on port 11434, LM Studio on 1234, llama.cpp on 8080).",
].join("\n");

/** The same in a sentence, for an answer that did something. */
export const notUnderstood = (parts: readonly string[]) =>
  parts.length === 1 ? `I do not understand: ${parts[0]}` : `I do not understand:\n${parts.map((part) => `  ${part}`).join("\n")}`;
