/** Lines of the owner's log as they are written, for its readers. */
export interface LogLines {
  /** Redacted, without its newline. */
  tell(line: string): void;
  listen(listener: (line: string) => void): () => void;
}

export function createLogLines(): LogLines {
  const listeners = new Set<(line: string) => void>();
  return {
    tell: (line) => {
      for (const listener of [...listeners]) listener(line);
    },
    listen: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}
