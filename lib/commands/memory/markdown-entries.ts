/** Notes that people keep in Markdown, as entries of a memory (housekeeping part, 4.4). */

const HEADING = /^(#{1,6})\s+(.+?)\s*#*$/;
const ITEM = /^\s*(?:[-*+]|\d+[.)])\s+(.*)$/;
const FENCE = /^\s*(```|~~~)/;
const TABLE = /^\s*\|/;
const RULE = /^\s*(?:[-*_]\s*){3,}$/;
/** Headings that only name the file. */
const FILE_NAME = /^(?:memory|user|user profile|memories|notes|\d{4}-\d{2}-\d{2}|.*\.md)$/i;
const OTHER_PATH = /~\/\.(?:openclaw|clawdbot|moltbot)\b/gi;
const OTHER_NAME = /\b(?:openclaw|clawdbot|moltbot)\b/gi;

/**
 * Bullets, numbered items and paragraphs, each behind its headings joined with ` > `. Code blocks and tables are left out, repeated entries count
 * once, and the other product's names and paths become ours.
 */
export function entriesOfMarkdown(text: string): readonly string[] {
  const headings: string[] = [];
  const found = new Map<string, string>();
  let open: string[] = [];
  let fence: string | undefined;
  const finish = (): void => {
    const words = open.join(" ").replace(/\s+/g, " ").trim();
    open = [];
    if (words === "") return;
    const entry = renamed([...headings.filter((one) => one !== "" && !FILE_NAME.test(one)), words].join(" > "));
    found.set(entry.toLowerCase(), entry);
  };
  for (const line of text.replace(/^\ufeff/, "").split(/\r\n?|\n/)) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) {
      finish();
      fence = fence === undefined ? mark : undefined;
      continue;
    }
    if (fence !== undefined) continue;
    const heading = HEADING.exec(line);
    const item = ITEM.exec(line);
    if (heading !== null) {
      finish();
      const [, { length: depth } = "", title = ""] = heading;
      headings.length = Math.min(headings.length, depth - 1);
      while (headings.length < depth - 1) headings.push("");
      headings.push(title);
    } else if (line.trim() === "" || TABLE.test(line) || RULE.test(line)) finish();
    else if (item === null) open.push(line);
    else {
      finish();
      open.push(item[1] ?? "");
    }
  }
  finish();
  return [...found.values()];
}

const renamed = (entry: string): string => entry.replace(OTHER_PATH, "~/.agent").replace(OTHER_NAME, "agent");
