/** The command line only reads, so it may run beside other readers. */
export function readsOnly(_command: string): boolean {
  return false;
}

/** Words of the last simple command of the last pipeline. */
export function lastCommand(command: string): readonly string[] {
  return (command.split(/[|;&\n]/).at(-1) ?? "").trim().split(/\s+/);
}
