/** The form of a memory file: entries between lines with `§` alone (core part, 30). */

export const SEPARATOR = "\n§\n";

/** A line that only separates entries, also as people type it. */
const SEPARATING = /^[ \t]*§[ \t]*$/m;

export const hasSeparator = (text: string): boolean => SEPARATING.test(text);

/** An entry as it is kept: line ends of one kind, nothing around it. */
export const tidyEntry = (text: string): string => text.replaceAll("\0", "").replace(/\r\n?/g, "\n").trim();

/** What two entries have in common that say the same in the same words. */
export const folded = (text: string): string => text.normalize("NFKC").replace(/\s+/g, " ").trim().toLowerCase();

/** The file with these entries. */
export const toFileText = (entries: readonly string[]): string =>
  entries.length === 0 ? "" : `${entries.join(SEPARATOR)}\n`;

/** Characters that entries take up in their file. */
export const sizeOf = (entries: readonly string[]): number => [...entries.join(SEPARATOR)].length;

export interface ReadText {
  readonly entries: readonly string[];
  /** Why writing the entries again would give another file; undefined: it would not. */
  readonly why?: string;
}

/** The entries of a file, whatever its form. */
export function readEntries(bytes: Buffer): ReadText {
  const text = bytes.toString("utf8");
  const entries: string[] = [];
  for (const part of text.replace(/^\ufeff/, "").split(new RegExp(SEPARATING, "m"))) {
    const entry = tidyEntry(part);
    if (entry !== "" && !entries.includes(entry)) entries.push(entry);
  }
  const why = whyOther(text, bytes, entries);
  return why === undefined ? { entries } : { entries, why };
}

function whyOther(text: string, bytes: Buffer, entries: readonly string[]): string | undefined {
  if (!Buffer.from(text, "utf8").equals(bytes)) return "it is not UTF-8 text";
  const joined = entries.join(SEPARATOR);
  if (text === joined || text === `${joined}\n`) return undefined;
  if (text.includes("\r")) return "it has Windows line ends";
  if (text.startsWith("\ufeff")) return "it begins with a byte order mark";
  return "its entries are empty, repeated, or not separated by lines with § alone";
}

/** `34% - 750/2,200 chars`. */
export function fileUsage(entries: readonly string[], limit: number): string {
  const used = sizeOf(entries);
  return `${Math.round((used * 100) / limit)}% - ${grouped(used)}/${grouped(limit)} chars`;
}

const grouped = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
