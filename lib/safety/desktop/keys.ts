/** Key combinations as sets of folded names (extensions part, 10.6). */

const ALIASES: ReadonlyMap<string, string> = new Map([
  ["command", "cmd"],
  ["super", "cmd"],
  ["win", "cmd"],
  ["windows", "cmd"],
  ["meta", "cmd"],
  ["⌘", "cmd"],
  ["control", "ctrl"],
  ["⌃", "ctrl"],
  ["opt", "option"],
  ["alt", "option"],
  ["⌥", "option"],
  ["⇧", "shift"],
  ["del", "delete"],
  ["⌫", "backspace"],
]);

/** Keys whose names have several words, and the sides of modifiers, which make no difference. */
const WHOLE: readonly (readonly [RegExp, string])[] = [
  [/\b(page|caps|num|scroll|print)[-_ ]?(up|down|lock|screen)\b/g, "$1$2"],
  [/\b(super|control|ctrl|alt|shift|meta|cmd|command|option|opt|win)[-_ ](?:l|r|left|right)\b/g, "$1"],
  [/\b(?:left|right)[-_ ](super|control|ctrl|alt|shift|meta|cmd|command|option|opt|win)\b/g, "$1"],
  [/\bkp[-_ ](\w+)\b/g, "$1"],
  [/\bback[-_ ]space\b/g, "backspace"],
  [/([⌘⌃⌥⇧⌫])/g, " $1 "],
];

/** Names of one combination in their order: lower case, aliases folded, each once. Empty: the text names no key. */
export function readKeys(text: string): readonly string[] {
  const lower = text.trim().toLowerCase();
  if ([...lower].length === 1 && !ALIASES.has(lower)) return [lower];
  // The key itself may be a sign that otherwise stands between two: `ctrl++`, `ctrl+-`.
  const ending = /^(.*\S)\s*[-+_ ]([-+_])$/s.exec(lower);
  const [, before = lower, sign] = ending ?? [];
  const whole = WHOLE.reduce((all, [from, to]) => all.replace(from, to), before);
  const names = whole.split(/[-+_\s]+/).filter((name) => name !== "");
  return [...new Set([...names.map((name) => ALIASES.get(name) ?? name), ...(sign === undefined ? [] : [sign])])];
}

/** On cmd combinations both delete keys are one. */
const toSet = (keys: readonly string[]): string =>
  [...new Set(keys.map((key) => (key === "delete" && keys.includes("cmd") ? "backspace" : key)))].toSorted().join("+");

const REFUSED: ReadonlyMap<string, string> = new Map(
  [
    ["cmd+shift+backspace", "it empties the trash"],
    ["cmd+option+backspace", "it deletes at once"],
    ["cmd+ctrl+q", "it locks the screen"],
    ["cmd+shift+q", "it logs the user out"],
    ["cmd+option+shift+q", "it logs the user out at once"],
    ["ctrl+option+delete", "it restarts or logs out"],
    ["ctrl+option+backspace", "it ends the display server"],
  ].map(([keys = "", why = ""]) => [toSet(keys.split("+")), why]),
);

/** Why a combination is never pressed; undefined: it may be. */
export const refusedKeys = (text: string): string | undefined => REFUSED.get(toSet(readKeys(text)));
