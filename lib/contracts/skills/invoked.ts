/** Messages that `/<skill>` and `/<bundle>` became, as people are shown them. */

const HEAD = /^\[IMPORTANT: The user has invoked the "([^"\n]{1,200})" skill( bundle)?, /;
const SKILL_SAID = "\n\nThe user gave this instruction with the skill: ";
const BUNDLE_SAID = /\nUser instruction: ([^\n]*)/;

/** What the user typed: the name of the skill or bundle, and the instruction. Undefined: it is another message. */
export function readInvocation(message: string): string | undefined {
  const [, name, bundle] = HEAD.exec(message) ?? [];
  if (name === undefined) return undefined;
  const at = message.lastIndexOf(SKILL_SAID);
  const said =
    bundle === undefined
      ? message.slice(at < 0 ? message.length : at + SKILL_SAID.length)
      : (BUNDLE_SAID.exec(message)?.[1] ?? "");
  return said.trim() === "" ? name : `${name}: ${said.trim()}`;
}
