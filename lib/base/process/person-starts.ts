/** A running process that this one started for the settings of a person: a hook, a quick command, a scanner, or a script of a job. */
export interface PersonStart {
  readonly pid: number;
  /** The kernel's start time: a process that gets the same pid later has another one. */
  readonly start: string;
}

const running = new Map<number, PersonStart>();

/** Note a child that starts for a person's settings. @returns what to call at its end */
export function notePersonStart(child: PersonStart): () => void {
  if (child.start !== "") running.set(child.pid, child);
  return () => {
    if (running.get(child.pid)?.start === child.start) running.delete(child.pid);
  };
}

/** Those that run now. */
export const listPersonStarts = (): readonly PersonStart[] => [...running.values()];
