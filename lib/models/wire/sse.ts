import { createParser } from "eventsource-parser";

/** Longest line of an event stream, in characters. A whole file in one tool call fits; a stream without line ends does not fill the memory. */
const MAX_LINE = 32 << 20;

/**
 * Take an event stream apart. Gives the `data` of each event; comments and other fields are left out. Bytes may be cut anywhere, line ends may be
 * LF, CRLF or CR, and the blank line after the last event may be missing.
 */
export function createSseReader(): { push(bytes: Uint8Array): string[]; end(): string[] } {
  const decoder = new TextDecoder("utf-8");
  let out: string[] = [];
  let open = 0;
  const parser = createParser({ onEvent: (event) => out.push(event.data) });
  const taken = (): string[] => {
    const all = out;
    out = [];
    return all;
  };
  const feed = (text: string) => {
    const last = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"));
    open = last < 0 ? open + text.length : text.length - last - 1;
    if (open > MAX_LINE) throw new SseError(`a line of the stream is longer than ${MAX_LINE} characters`);
    parser.feed(text);
  };
  return {
    push: (bytes) => {
      feed(decoder.decode(bytes, { stream: true }));
      return taken();
    },
    end: () => {
      // Two line ends close a last line and a last event that the stream left open; where nothing is open they say nothing.
      feed(`${decoder.decode()}\n\n`);
      return taken();
    },
  };
}

/** The stream cannot be what it says it is. */
export class SseError extends Error {
  override readonly name = "SseError";
}
