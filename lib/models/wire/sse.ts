/** Longest line of an event stream, in characters. A whole file in one tool call fits; a stream without line ends does not fill the memory. */
const MAX_LINE = 32 << 20;

/**
 * Take an event stream apart. Gives the `data` of each event; comments and other fields are left out. Bytes may be cut anywhere, line ends may be
 * LF, CRLF or CR, and the blank line after the last event may be missing.
 */
export function createSseReader(): { push(bytes: Uint8Array): string[]; end(): string[] } {
  const decoder = new TextDecoder("utf-8");
  let rest = "";
  let data: string[] = [];
  let waits = false;
  const take = (line: string, out: string[]) => {
    if (line === "") {
      if (data.length > 0) out.push(data.join("\n"));
      data = [];
    } else if (line === "data") data.push("");
    else if (line.startsWith("data:")) data.push(line.slice(line[5] === " " ? 6 : 5));
  };
  const drain = (last: boolean): string[] => {
    const out: string[] = [];
    const lines = rest.split(/\r\n|\n|\r/);
    // A CR at the very end may be the first half of CRLF, so its line waits for the next byte.
    const held = !last && rest.endsWith("\r") ? `${lines.at(-2) ?? ""}\r` : (lines.at(-1) ?? "");
    const whole = lines.slice(0, !last && rest.endsWith("\r") ? -2 : -1);
    for (const line of whole) take(line, out);
    rest = last ? "" : held;
    waits = rest.endsWith("\r");
    if (last) {
      if (held !== "") take(held, out);
      take("", out);
    }
    return out;
  };
  return {
    push: (bytes) => {
      const text = decoder.decode(bytes, { stream: true });
      rest += text;
      if (rest.length > MAX_LINE) throw new SseError(`a line of the stream is longer than ${MAX_LINE} characters`);
      // Splitting a long rest again for every small piece would cost quadratic time.
      return /[\r\n]/.test(text) || (waits && text !== "") ? drain(false) : [];
    },
    end: () => {
      rest += decoder.decode();
      return drain(true);
    },
  };
}

/** The stream cannot be what it says it is. */
export class SseError extends Error {
  override readonly name = "SseError";
}
