import type { BrowserContext, ConsoleMessage, Page, WebError } from "playwright-core";
import type { ConsoleLine, SessionConsole } from "../session.js";

const LINES = 200;
const LINE_CHARS = 2_000;

/** What pages of a context write to their consoles, and errors that none of their code has caught. */
export function watchConsole(
  context: BrowserContext,
  isOurs: (page: Page | null) => boolean,
): SessionConsole & { close(): void } {
  const lines: ConsoleLine[] = [];
  const add = (line: ConsoleLine): void => {
    lines.push({ ...line, text: line.text.slice(0, LINE_CHARS) });
    if (lines.length > LINES) lines.shift();
  };
  const onMessage = (message: ConsoleMessage): void => {
    if (!isOurs(message.page())) return;
    const { url, lineNumber, columnNumber } = message.location();
    const at = url === "" ? {} : { at: `${url}:${lineNumber + 1}:${columnNumber + 1}` };
    add({ type: message.type(), text: message.text(), ...at });
  };
  const onError = (error: WebError): void => {
    if (!isOurs(error.page())) return;
    const thrown = error.error();
    add({ type: "exception", text: thrown.stack ?? thrown.message });
  };
  context.on("console", onMessage);
  context.on("weberror", onError);
  return {
    lines: () => [...lines],
    clear: () => {
      lines.length = 0;
    },
    close: () => {
      context.off("console", onMessage);
      context.off("weberror", onError);
    },
  };
}
