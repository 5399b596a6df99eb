/** Programs whose non-zero codes are answers, not failures (core part, 17.1). */
const MEANINGS: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  grep: { 1: "no match" },
  egrep: { 1: "no match" },
  fgrep: { 1: "no match" },
  rg: { 1: "no match" },
  ag: { 1: "no match" },
  ack: { 1: "no match" },
  diff: { 1: "the files differ" },
  colordiff: { 1: "the files differ" },
  cmp: { 1: "the files differ" },
  find: { 1: "some directories could not be read; the output is partial" },
  test: { 1: "false" },
  "[": { 1: "false" },
  curl: {
    6: "the host name was not found",
    7: "the connection was refused",
    22: "the server answered with an error status",
    28: "timed out",
  },
};

/** What a non-zero code of the last simple command means, when it is a normal answer of that program. */
export function exitCodeMeaning(words: readonly string[], code: number): string | undefined {
  if (code === 0) return undefined;
  const program = (words[0] ?? "").split("/").at(-1) ?? "";
  if (program === "git")
    return code === 1 && words[1] === "diff" && words.includes("--exit-code") ? "there are differences" : undefined;
  return Object.hasOwn(MEANINGS, program) ? MEANINGS[program]?.[code] : undefined;
}
