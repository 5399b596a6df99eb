import { UNKNOWN } from "../options/command-line.js";
import { evaluatingWords, hidesCommand, PROMPT_VARIABLE } from "./evaluate.js";
import { noteEvaluation, type Parse, Unparsable } from "./state.js";
import { type Inner, innerOf } from "./words.js";

/** Values with substitutions that are looked into; a line with more is written by a program. */
const HIDDEN_AT_MOST = 50;

/** Where the shell evaluates values, substitutions in plain text run too: `x='a[$(cmd)]'; (( x ))`. Whatever text could be meant is opened. */
export function readHidden(p: Parse, inner: Inner): void {
  for (const simple of p.commands) {
    const why = evaluatingWords(simple);
    if (why !== undefined) noteEvaluation(p, why);
  }
  const texts = p.commands.flatMap(({ words, assignments, redirects }) => {
    const set = assignments.flatMap(({ text }) => (PROMPT_VARIABLE.test(text) ? [text] : []));
    return p.evaluates.length === 0
      ? set
      : [...set, ...[...words, ...assignments, ...redirects.map((one) => one.target)].map((word) => word.text)];
  });
  for (const text of [...new Set([...texts, ...(p.evaluates.length === 0 ? [] : p.hidden)])]
    .filter(hidesCommand)
    .slice(0, HIDDEN_AT_MOST)) {
    const { length } = p.commands;
    try {
      innerOf(p, inner, text.replaceAll(UNKNOWN, " "));
    } catch (error) {
      if (!(error instanceof Unparsable)) throw error;
      p.commands.splice(length); // the shell cannot read it either
    }
    if (p.commands.length > length)
      p.findings.push({
        kind: "inline-code",
        text: `the shell runs a command in the value ${JSON.stringify(text.slice(0, 100))}`,
      });
  }
}
