import { REPEATED } from "./repeated-lines.gen.js";

/** The option of commands whose change is made once for each key, however often it is asked for. */
const KEY_OPTION = "--idempotency-key";

/** The line names such a key: to run it again after an owner that ended in the middle of it is the same as to run it once. */
export function namesKey(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const options = end < 0 ? argv : argv.slice(0, end);
  return options.some(
    (word, at) =>
      (word === KEY_OPTION && at + 1 < options.length) ||
      (word.startsWith(`${KEY_OPTION}=`) && word.length > KEY_OPTION.length + 1),
  );
}

/** The command may be run again: not what cannot be undone. @param path words of the command */
export const repeats = (path: string, argv: readonly string[]): boolean =>
  REPEATED.has(path) && !argv.some((word) => word.startsWith("--rm"));

/** A key that no other command line of this machine has. @param moment of any clock, whole: no two processes have one pid at one moment */
export const lineKey = (pid: number, moment: number | bigint): string => `${pid.toString(36)}x${moment.toString(36)}`;
