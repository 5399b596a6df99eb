import { layTables } from "../../../lib/gateway/text/tables.js";

/** Characters that mean something outside of entities. */
const RESERVED = /[_*[\]()~`>#+\-=|{}.!\\]/g;
const escapeText = (text: string) => text.replace(RESERVED, "\\$&");
const escapeCode = (text: string) => text.replace(/[`\\]/g, "\\$&");
const escapeUrl = (url: string) => url.replace(/[)\\]/g, "\\$&");

/** Code, link, bold, struck, italic: what is found first at a place wins. */
const INLINE =
  /(?<code>`[^`\n]+`)|\[(?<label>[^[\]\n]+)\]\((?<url>[^()\s]+(?:\([^()\s]*\)[^()\s]*)?)\)|(?:\*\*|__)(?<bold>[^\s*_][^\n]*?)(?:\*\*|__)|~~(?<gone>[^~\n]+)~~|(?<![\w*])\*(?<star>[^\s*][^*\n]*?)\*(?![\w*])|(?<![\w_])_(?<line>[^\s_][^_\n]*?)_(?![\w_])/g;

/** Markdown as models write it, in the platform's dialect (gateway part, 16.1.2). What is not an entity is escaped, so every text is valid. */
export function toMarkdownV2(markdown: string): string {
  const out: string[] = [];
  const lines = layTables(markdown, "monospace").split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const fence = /^\s*(`{3,}|~{3,})\s*([\w+#.-]*)/.exec(line);
    const end = fence === null ? -1 : endOfFence(lines, at, fence[1] ?? "```");
    if (fence !== null && end > at) {
      out.push(`\`\`\`${fence[2] ?? ""}\n${escapeCode(lines.slice(at + 1, end).join("\n"))}\n\`\`\``);
      at = end;
    } else out.push(block(line));
  }
  return out.join("\n");
}

function endOfFence(lines: readonly string[], from: number, mark: string): number {
  return lines.findIndex((line, at) => at > from && line.trim().startsWith(mark) && /^[`~]+$/.test(line.trim()));
}

function block(line: string): string {
  const head = /^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$/.exec(line)?.[1];
  if (head) return `*${escapeText(bare(head))}*`;
  const quote = /^ {0,3}> ?(.*)$/.exec(line)?.[1];
  if (quote !== undefined) return `>${inline(quote)}`;
  if (/^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/.test(line)) return "———";
  const item = /^(\s*)[-*+]\s+(.*)$/.exec(line);
  return item === null ? inline(line) : `${item[1] ?? ""}• ${inline(item[2] ?? "")}`;
}

/** The words without their marks: an entity within one of its own kind is not allowed. */
const bare = (text: string) => text.replace(/\*\*|__|`|~~/g, "");

function inline(text: string, within = ""): string {
  let out = "";
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    out += escapeText(text.slice(from, match.index)) + entity(match.groups ?? {}, match[0], within);
    from = match.index + match[0].length;
  }
  return out + escapeText(text.slice(from));
}

function entity(found: Readonly<Record<string, string | undefined>>, whole: string, within: string): string {
  const { code, label, url, bold, gone, star, line } = found;
  if (code !== undefined) return `\`${escapeCode(code.slice(1, -1))}\``;
  if (label !== undefined && url !== undefined) return `[${inline(label, `${within}l`)}](${escapeUrl(url)})`;
  const nested = (mark: string, kind: string, words: string) =>
    within.includes(kind) ? escapeText(whole) : `${mark}${inline(words, within + kind)}${mark}`;
  if (bold !== undefined) return nested("*", "b", bold);
  if (gone !== undefined) return nested("~", "s", gone);
  return nested("_", "i", star ?? line ?? "");
}
