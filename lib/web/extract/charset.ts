/** Bytes in which a page may name its own character set. */
const HEAD_BYTES = 4_096;
const BOMS: readonly (readonly [label: string, bytes: readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];
/** Of the characters outside of ASCII, this share may be broken in a text that is UTF-8 anyway. */
const BROKEN_SHARE = 0.02;

/**
 * Text of a page. Its character set is the first of: byte order mark, header, `<meta>`, XML declaration, UTF-8, windows-1252. UTF-8 and the set that
 * servers name without knowing (ISO-8859-1) are held against the bytes, because both are often named wrongly.
 */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const marked = BOMS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  if (marked !== undefined) return new TextDecoder(marked[0]).decode(bytes);
  const wide = wideWithoutMark(bytes);
  const labels = [labelIn(contentType), ...ownLabels(bytes)].flatMap((label) => known(label) ?? []);
  for (const label of wide === undefined ? labels : [wide]) {
    if (label === "utf-8") {
      const text = asUtf8(bytes);
      if (text !== undefined) return text;
    } else if (label === "windows-1252") {
      return strictUtf8(bytes) ?? asWestern(bytes);
    } else return new TextDecoder(label).decode(bytes);
  }
  return asUtf8(bytes) ?? asWestern(bytes);
}

const labelIn = (text: string): string | undefined => /charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(text)?.[1];

/** Character sets that the page itself names. */
function ownLabels(bytes: Uint8Array): readonly (string | undefined)[] {
  const head = Buffer.from(bytes.subarray(0, HEAD_BYTES)).toString("latin1");
  const meta = [...head.matchAll(/<meta\s[^>]{0,300}/gi)].map(([tag]) => asciiLabel(labelIn(tag)));
  return [...meta, asciiLabel(/^\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([\w.:-]{1,40})/i.exec(head)?.[1])];
}

/** A page in which its name could be read as ASCII is not UTF-16. */
const asciiLabel = (label: string | undefined) => (/^utf-?16/i.test(label ?? "") ? "utf-8" : label);

function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined; // a character set that does not exist: the bytes decide
  }
}

/** UTF-16 without a mark has a zero in every second byte of western text. */
function wideWithoutMark(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, 512);
  if (head.length < 8) return undefined;
  let even = 0;
  let odd = 0;
  for (const [at, byte] of head.entries()) {
    if (byte !== 0) continue;
    if (at % 2 === 0) even += 1;
    else odd += 1;
  }
  const half = head.length / 2;
  if (odd > half * 0.7 && even < half * 0.1) return "utf-16le";
  return even > half * 0.7 && odd < half * 0.1 ? "utf-16be" : undefined;
}

function strictUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined; // not UTF-8
  }
}

/** What windows-1252 has from 0x80 to 0x9f; the five that it lacks stay control characters. */
const WESTERN = "€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ";

/** Some releases of Node take windows-1252 for Latin-1, so that its quotation marks and dashes are lost. */
const asWestern = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString("latin1")
    .replace(/[\u0080-\u009f]/g, (sign) => WESTERN.charAt(sign.charCodeAt(0) - 0x80));

/** The text as UTF-8, also when a few of its characters are broken. */
function asUtf8(bytes: Uint8Array): string | undefined {
  const strict = strictUtf8(bytes);
  if (strict !== undefined) return strict;
  const text = new TextDecoder("utf-8").decode(bytes);
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  const foreign = text.match(/[^\u0000-\u007f]/g)?.length ?? 0;
  return broken <= Math.max(1, foreign * BROKEN_SHARE) && foreign > broken ? text : undefined;
}
