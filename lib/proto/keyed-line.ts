/** The option of commands whose change is made once for each key, however often it is asked for. */
const KEY_OPTION = "--idempotency-key";

/** The line names such a key: to run it again after an owner that ended in the middle of it is the same as to run it once. */
export function namesKey(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  const options = end < 0 ? argv : argv.slice(0, end);
  return options.some(
    (word, at) =>
      (word === KEY_OPTION && at + 1 < options.length) || (word.startsWith(`${KEY_OPTION}=`) && word.length > KEY_OPTION.length + 1),
  );
}
