/** Longer scripts are not looked at: they count as writing. */
const SCRIPT_CHARS = 4_000;
const SUBSTITUTION = /s([^\w\s\\])(?:\\.|(?!\1)[^\\])*\1(?:\\.|(?!\1)[^\\])*\1/gs;
const ADDRESS = /(^|[;{},\n])\s*\/(?:\\.|[^/\\\n])*\//g;

/** Scripts on the command line of sed: those of `-e`, else the first word that is no option. */
function scriptsOf(words: readonly string[]): readonly string[] {
  const given = words.flatMap((word, at) => {
    if (/^(-[a-zA-Z]*e|--expression)$/.test(word)) return [words[at + 1] ?? ""];
    const joined = /^(?:-[nErsuz]*e|--expression=)(.+)$/s.exec(word)?.[1];
    return joined === undefined ? [] : [joined];
  });
  return given.length > 0 ? given : words.filter((word) => !/^-./.test(word)).slice(0, 1);
}

/** The commands of a script without what they look for and put in its place. */
const bare = (script: string): string => script.slice(0, SCRIPT_CHARS).replace(SUBSTITUTION, ";").replace(ADDRESS, "$1@");

/** Files that the command `w`, or the flag `w` of `s`, writes. No blank need stand before the name. */
export function sedWrites(words: readonly string[]): readonly string[] {
  return scriptsOf(words).flatMap((script) =>
    [...bare(script).matchAll(/(?:^|[;{}\n@0-9$!])\s*[gpiIemM0-9]{0,8}[wW]\s*([^\n;}]+)/g)].map((match) => (match[1] ?? "").trim()),
  );
}

/** It may change files or start programs: in place, by its commands, or by a script that nobody sees here. */
export function sedChanges(words: readonly string[]): boolean {
  if (words.some((word) => /^(-[a-zA-Z]*[if]|--in-place|--file)/.test(word))) return true;
  return scriptsOf(words).some((script) => script.length > SCRIPT_CHARS || /[weW]/.test(bare(script)));
}
