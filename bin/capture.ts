import { format } from "node:util";

type Write = (chunk: unknown, ...more: unknown[]) => boolean;

/** Output of this process while the screen has the terminal. */
export interface Capture {
  /** The stream's own way to write, for the screen alone. */
  readonly write: (text: string) => boolean;
  /** Resolves when everything that was written has left this process. */
  flushed(): Promise<void>;
  release(): void;
}

/** Whatever else writes to standard output or standard error (`console`, warnings, packages) goes into the log until it is released. */
export function captureOutput(log: (line: string) => void): Capture {
  const { stdout, stderr } = process;
  const own = [stdout.write, stderr.write] as const;
  const raw = stdout.write.bind(stdout);
  const taken: Write = (chunk, ...more) => {
    const text =
      typeof chunk === "string"
        ? chunk
        : chunk instanceof Uint8Array
          ? Buffer.from(chunk).toString("utf8")
          : format(chunk);
    for (const line of text.split("\n")) if (line.trim() !== "") log(line);
    const done = more.at(-1);
    if (typeof done === "function") queueMicrotask(() => done());
    return true;
  };
  stdout.write = taken;
  stderr.write = taken;
  const printers = process.listeners("warning");
  process.removeAllListeners("warning"); // the runtime's own printer writes past `process.stderr`
  const warned = (warning: Error) => log(`${warning.name}: ${warning.message}`);
  process.on("warning", warned);
  return {
    write: (text) => raw(text),
    flushed: () => new Promise((resolve) => raw("", () => resolve())),
    release: () => {
      [stdout.write, stderr.write] = own;
      process.off("warning", warned);
      for (const printer of printers) process.on("warning", printer);
    },
  };
}
