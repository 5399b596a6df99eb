import { isReadOnlyCommand, lastSimpleCommand } from "../../safety/exec/exec.js";

/** The command line only reads in this directory, so it may run beside other readers. Asked each time: a repository's settings may change. */
export function readsOnly(command: string, cwd: string): boolean {
  return isReadOnlyCommand(command, cwd);
}

/** Words of the last simple command: its exit code is that of the line. */
export function lastCommand(command: string): readonly string[] {
  return lastSimpleCommand(command);
}
