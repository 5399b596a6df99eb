import { isReadOnlyCommand, lastSimpleCommand } from "../../safety/exec.js";

const looked = new Map<string, boolean>();
const LOOKED_AT_MOST = 256;

/** The command line only reads, so it may run beside other readers. */
export function readsOnly(command: string): boolean {
  const known = looked.get(command);
  if (known !== undefined) return known;
  const found = isReadOnlyCommand(command);
  if (looked.size >= LOOKED_AT_MOST) looked.clear();
  looked.set(command, found);
  return found;
}

/** Words of the last simple command: its exit code is that of the line. */
export function lastCommand(command: string): readonly string[] {
  return lastSimpleCommand(command);
}
