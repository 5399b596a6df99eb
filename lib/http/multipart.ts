import { AppError } from "../base/errors.js";

/** One part of a form. Its body is read once, before the next part is asked for; what is not read is passed over. */
export interface FormPart {
  readonly name: string;
  /** Undefined: a plain field. As the client gave it. */
  readonly filename: string | undefined;
  /** Without parameters, in lower case. */
  readonly contentType: string | undefined;
  readonly body: AsyncIterable<Buffer>;
}

/** Bounds of a form. */
const HEADER_BYTES = 8 << 10;
const MOST_PARTS = 20;

/**
 * Read a form (`multipart/form-data`, RFC 7578) as it comes: nothing but the piece at hand is held, and a slow reader slows the sender.
 *
 * @param source Body of the request
 * @param type Its `Content-Type`, which names the boundary
 * @param maxBytes Most bytes of the whole body
 * @throws E_INVALID for another format, or one that ends in the middle; E_TOO_LARGE
 */
export async function* readForm(
  source: AsyncIterable<Buffer>,
  type: string | undefined,
  maxBytes: number,
): AsyncGenerator<FormPart> {
  const delimiter = Buffer.from(`\r\n--${boundaryOf(type)}`, "latin1");
  const window = openWindow(source, maxBytes);
  // The line end before the first delimiter may be missing; whatever stands before it does not count.
  for await (const _passed of upTo(window, delimiter));
  for (let parts = 0; !(await isLast(window)); parts++) {
    if (parts === MOST_PARTS) throw new AppError("E_TOO_LARGE", `a form may have at most ${MOST_PARTS} parts`);
    const body = upTo(window, delimiter);
    yield { ...headOf(await headText(window)), body };
    for await (const _passed of body);
  }
}

function boundaryOf(type: string | undefined): string {
  const found = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"\r\n]{1,70})"|([^\s;"]{1,70}))/i.exec(type ?? "");
  const boundary = found?.[1] ?? found?.[2];
  if (boundary === undefined) throw new AppError("E_INVALID", "missing boundary in the Content-Type of the form");
  return boundary;
}

/** What has come of the body and was not taken yet. */
interface Window {
  held: Buffer;
  /** Wait for more. @throws E_INVALID at its end, E_TOO_LARGE */
  more(): Promise<void>;
}

function openWindow(source: AsyncIterable<Buffer>, maxBytes: number): Window {
  const pieces = source[Symbol.asyncIterator]();
  let size = 0;
  const window: Window = {
    held: Buffer.from("\r\n"),
    more: async () => {
      const next = await pieces.next();
      if (next.done === true) throw new AppError("E_INVALID", "the form is incomplete");
      size += next.value.length;
      if (size > maxBytes)
        throw new AppError("E_TOO_LARGE", `a form may have at most ${maxBytes} bytes`, { max: maxBytes });
      window.held = window.held.length === 0 ? next.value : Buffer.concat([window.held, next.value]);
    },
  };
  return window;
}

/** The bytes before the mark, in pieces. Mark and bytes are gone from the window then. */
async function* upTo(window: Window, mark: Buffer): AsyncGenerator<Buffer> {
  for (;;) {
    const at = window.held.indexOf(mark);
    // The last bytes may be the beginning of the mark.
    const end = at === -1 ? Math.max(0, window.held.length - mark.length + 1) : at;
    const piece = window.held.subarray(0, end);
    window.held = window.held.subarray(at === -1 ? end : end + mark.length);
    if (piece.length > 0) yield piece;
    if (at !== -1) return;
    await window.more();
  }
}

async function isLast(window: Window): Promise<boolean> {
  while (window.held.length < 2) await window.more();
  return window.held.subarray(0, 2).toString("latin1") === "--";
}

/** The lines between a delimiter and an empty line. */
async function headText(window: Window): Promise<string> {
  for (;;) {
    const at = window.held.indexOf("\r\n\r\n");
    if (at > HEADER_BYTES || (at === -1 && window.held.length > HEADER_BYTES)) {
      throw new AppError("E_TOO_LARGE", `the headers of a form part exceed ${HEADER_BYTES} bytes`);
    }
    if (at !== -1) {
      const text = window.held.subarray(0, at).toString("utf8");
      window.held = window.held.subarray(at + 4);
      return text;
    }
    await window.more();
  }
}

function headOf(text: string): Omit<FormPart, "body"> {
  const lines = text.split("\r\n").map((line) => line.split(":"));
  const value = (name: string) =>
    lines
      .find(([key = ""]) => key.trim().toLowerCase() === name)
      ?.slice(1)
      .join(":");
  const disposition = value("content-disposition") ?? "";
  const name = parameter(disposition, "name");
  if (!/^\s*form-data\s*;/i.test(disposition) || name === undefined)
    throw new AppError("E_INVALID", "a form part has no name");
  const contentType = value("content-type")?.split(";")[0]?.trim().toLowerCase();
  return { name, filename: parameter(disposition, "filename"), contentType: contentType || undefined };
}

/** Browsers write a quotation mark or a line end inside a value as an escape of three characters, other programs with a backslash. */
function parameter(disposition: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, "i").exec(disposition);
  const value = found?.[1]?.replace(/\\(["\\])/g, "$1") ?? found?.[2];
  return value?.replace(/%(22|0D|0A)/gi, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
