/** A terminal that lines are typed at. */
export interface TypedInput {
  setRawMode(on: boolean): unknown;
  on(event: "data", listener: (chunk: Buffer) => void): unknown;
  on(event: "end", listener: () => void): unknown;
  off(event: "data", listener: (chunk: Buffer) => void): unknown;
  off(event: "end", listener: () => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

export interface HiddenLine {
  readonly input: TypedInput;
  /** Show text to the user. */
  readonly show: (text: string) => Promise<void>;
  /** Ends the question; the terminal is as it was then. */
  readonly signal: AbortSignal;
  /** Ctrl+C was pressed: a terminal in raw mode makes no signal of it. */
  readonly interrupt: () => void;
}

const LONGEST = 16_384;

/** Ask for a line that is not shown while it is typed. @returns it without its end; "" when the question was given up */
export async function askHidden(question: string, { input, show, signal, interrupt }: HiddenLine): Promise<string> {
  if (signal.aborted) return "";
  input.setRawMode(true); // before the question stands there: who answers at once is not shown either
  try {
    await show(question);
    return await typed(input, signal, interrupt);
  } finally {
    input.setRawMode(false);
    input.pause();
    await show("\n");
  }
}

/** Ask for a line that the terminal shows and lets its user edit. @returns it without its end; "" when the question was given up */
export async function askShown(question: string, { input, show, signal, interrupt }: HiddenLine): Promise<string> {
  if (signal.aborted) return "";
  await show(question);
  try {
    return await typed(input, signal, interrupt);
  } finally {
    input.pause();
  }
}

function typed(input: TypedInput, signal: AbortSignal, interrupt: () => void): Promise<string> {
  return new Promise((resolve) => {
    let line: readonly string[] = [];
    const finish = (text: string) => {
      input.off("data", onData);
      input.off("end", onEnd);
      signal.removeEventListener("abort", onAbort);
      resolve(text);
    };
    const onEnd = () => finish(line.join(""));
    const onAbort = () => finish("");
    const decoder = new TextDecoder();
    const onData = (chunk: Buffer) => {
      for (const char of decoder.decode(chunk, { stream: true })) {
        if (char === "\r" || char === "\n" || char === "\u0004") return onEnd();
        if (char === "\u0003") return interrupt(); // its signal ends the question
        if (char === "\u007f" || char === "\b") line = line.slice(0, -1);
        else if (char === "\u0015") line = [];
        else if (char >= " " && line.length < LONGEST) line = [...line, char];
      }
    };
    input.on("data", onData);
    input.on("end", onEnd);
    signal.addEventListener("abort", onAbort, { once: true });
    input.resume();
  });
}
