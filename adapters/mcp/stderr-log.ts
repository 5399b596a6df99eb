import { join } from "node:path";
import { appendText } from "../../lib/base/fs/files.js";
import { rotateFile } from "../../lib/base/log/log-file.js";
import type { McpParts } from "./parts.js";

const LINE_CHARS = 2_000;
const FILE_BYTES = 5 << 20;
const BACKUPS = 1;
/** A server that says more within the time is not heard out: what it says costs the owner time. */
const LINES = 500;
const WITHIN_MS = 10_000;

/** What servers write to their standard error, line by line, in `logs/mcp-stderr.log`. */
export interface ServerLog {
  /** Text as it comes, in pieces. */
  heard(text: string): void;
  line(text: string): void;
  /** The rest that no newline ended. */
  end(): void;
  /** The last line that was heard, as it stands in the log; "" before the first. */
  last(): string;
}

/** The log of one server. */
export function createServerLog({ home, clock, redact }: McpParts, server: string): ServerLog {
  const path = join(home.logs, "mcp-stderr.log");
  let rest = "";
  let began = clock.mono();
  let lines = 0;
  let dropped = 0;
  let newest = "";
  const append = (text: string): void => {
    try {
      rotateFile(path, { maxBytes: FILE_BYTES, backups: BACKUPS, inUse: false });
    } catch {
      /* ok to lose: a log that cannot be written must not take the server with it. */
      return;
    }
    appendText(path, text, 0o600);
  };
  const shown = (text: string): string => visible(redact(text.slice(0, LINE_CHARS)));
  const write = (text: string): void => append(`[${server}] ${shown(text)}\n`);
  const line = (text: string): void => {
    if (text.trim() === "") return;
    newest = text;
    if (clock.mono() - began > WITHIN_MS) {
      began = clock.mono();
      lines = 0;
      if (dropped > 0) write(`(${dropped} lines left out)`);
      dropped = 0;
    }
    lines += 1;
    if (lines > LINES) dropped += 1;
    else write(text);
  };
  return {
    heard: (text) => {
      const pieces = (rest + text).split("\n");
      rest = (pieces.pop() ?? "").slice(0, LINE_CHARS);
      for (const piece of pieces) line(piece);
    },
    line,
    last: () => shown(newest).trim(),
    end: () => {
      line(rest);
      rest = "";
      if (dropped > 0) write(`(${dropped} lines left out)`);
      dropped = 0;
    },
  };
}

/** Control characters as a terminal shows them harmlessly. */
const visible = (text: string): string => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, " ");
