// Written by `make index`. Do not edit.
/** Commands without questions, standard input, editor or screen: the client only carries their words to the owner. */
export const THIN_SET: ReadonlySet<string> = new Set([
  "completion",
  "config",
  "config check",
  "config get",
  "config path",
  "config set",
  "config show",
  "config unset",
  "doctor",
  "owner status",
  "owner stop",
  "status",
]);
