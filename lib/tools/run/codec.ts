/** How the text of a file is stored. */
export interface Encoding {
  readonly name: "utf-8" | "utf-16le" | "utf-16be" | "latin-1";
  readonly bom: boolean;
  /** Lines end with CR LF. */
  readonly crlf: boolean;
}

export interface Decoded {
  /** Without BOM; line ends as stored. */
  readonly text: string;
  readonly encoding: Encoding;
  /** Set when the encoding is a guess. */
  readonly warning?: string;
}

export const PLAIN_UTF8: Encoding = { name: "utf-8", bom: false, crlf: false };

/** A text whose lines end with LF alone. */
export const toUnixLineEnds = (text: string): string => text.replaceAll("\r\n", "\n");

/** Text of a file's bytes: UTF-8, with or without BOM, UTF-16 with BOM, else Latin-1 with a warning. */
export function decode(bytes: Buffer): Decoded {
  if (bytes.length >= 2 && bytes[0] === 0xff && bytes[1] === 0xfe)
    return made(bytes.subarray(2).toString("utf16le"), "utf-16le", true);
  if (bytes.length >= 2 && bytes[0] === 0xfe && bytes[1] === 0xff)
    return made(swapped(bytes.subarray(2)).toString("utf16le"), "utf-16be", true);
  const bom = bytes.length >= 3 && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const body = bom ? bytes.subarray(3) : bytes;
  const text = utf8(body);
  if (text !== undefined) return made(text, "utf-8", bom);
  return {
    ...made(body.toString("latin1"), "latin-1", false),
    warning: "the file is not valid UTF-8; it was read as Latin-1",
  };
}

const made = (text: string, name: Encoding["name"], bom: boolean): Decoded => ({
  text,
  encoding: { name, bom, crlf: usesCrlf(text) },
});

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined; // not UTF-8
  }
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(0, bytes.length & ~1)).swap16();
}

/** More lines end with CR LF than without. */
export function usesCrlf(text: string): boolean {
  const all = count(text, "\n");
  return all > 0 && count(text, "\r\n") * 2 > all;
}

function count(text: string, part: string): number {
  let found = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found += 1;
  return found;
}

/** Bytes of a text in the encoding of the file it replaces. What Latin-1 cannot hold makes the file UTF-8. */
export function encode(text: string, encoding: Encoding): Buffer {
  const body = encoding.crlf ? text.replace(/\r?\n/g, "\r\n") : text;
  switch (encoding.name) {
    case "utf-16le":
      return Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(body, "utf16le")]);
    case "utf-16be":
      return Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(body, "utf16le").swap16()]);
    case "latin-1":
      return /^[\u0000-\u00ff]*$/.test(body) ? Buffer.from(body, "latin1") : Buffer.from(body);
    case "utf-8":
      return encoding.bom ? Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(body)]) : Buffer.from(body);
  }
}

const BINARY =
  /\.(7z|a|avi|bin|bmp|bz2|class|dll|dmg|doc|dylib|eot|exe|flac|gif|gz|heic|ico|iso|jar|jpe?g|lib|lz4|m4a|mkv|mov|mp[34]|o|obj|odt|ogg|otf|ppt|pptx|pyc|rar|so|sqlite3?|tar|tgz|tiff?|ttf|wasm|wav|webm|webp|woff2?|xls|xz|zip|zst|png|pdf|docx|xlsx)$/i;

/** A file of this name, or with these first bytes, is not text. */
export function isBinary(path: string, head: Buffer): boolean {
  if (BINARY.test(path)) return true;
  const utf16 = head.length >= 2 && ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff));
  return !utf16 && head.subarray(0, 8_192).includes(0);
}

/** Lines of a text without their ends. A last line without an end counts; nothing behind the last end does not. */
export function splitLines(text: string): string[] {
  if (text === "") return [];
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
}
