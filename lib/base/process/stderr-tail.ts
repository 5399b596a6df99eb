const KEPT_LINES = 500;
const SHOWN_LINES = 12;
const LINE_CHARS = 2_000;

/** The end of what a program writes to its standard error. */
export interface Tail {
  heard(text: string): void;
  /** The last lines, one below the other; "" without any. */
  last(): string;
}

export function createTail(): Tail {
  let lines: string[] = [];
  let rest = "";
  return {
    heard: (text) => {
      const pieces = (rest + text).split("\n");
      rest = (pieces.pop() ?? "").slice(-LINE_CHARS);
      const whole = pieces.filter((line) => line.trim() !== "").map((line) => line.slice(0, LINE_CHARS));
      lines = [...lines, ...whole].slice(-KEPT_LINES);
    },
    last: () => [...lines, ...(rest.trim() === "" ? [] : [rest])].slice(-SHOWN_LINES).join("\n"),
  };
}
