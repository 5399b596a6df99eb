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

/**
 * Commands that are run again by themselves when their owner ends before it answers. Reads change nothing; a change carries the key of its line,
 * by which the next owner finds what was done; what is set to the same value again stays the same.
 */
export const REPEATS: ReadonlySet<string> = new Set([
  "list",
  "ls",
  "show",
  "context",
  "runs",
  "log",
  "logs",
  "stats",
  "assignees",
  "why",
  "next",
  "diagnostics",
  "diag",
  "attachments",
  "diff",
  "boards list",
  "boards ls",
  "boards show",
  "boards current",
  "notify list",
  "notify-list",
  "create",
  "edit",
  "assign",
  "link",
  "unlink",
  "comment",
  "attach",
  "complete",
  "block",
  "schedule",
  "unblock",
  "promote",
  "reclaim",
  "reopen",
  "archive",
  "unarchive",
  "init",
  "boards switch",
  "boards use",
  "boards set",
  "boards rename",
  "boards set-default-workdir",
  "boards pause",
  "boards resume",
]);

/** The command may be run again: not what cannot be undone. @param path words of the command, with or without `kanban` */
export const repeats = (path: string, argv: readonly string[]): boolean =>
  path.startsWith("kanban ") &&
  REPEATS.has(path.slice("kanban ".length)) &&
  !argv.some((word) => word.startsWith("--rm"));

/** A key that no other command line of this machine has. @param moment of any clock, whole: no two processes have one pid at one moment */
export const lineKey = (pid: number, moment: number | bigint): string => `${pid.toString(36)}x${moment.toString(36)}`;
