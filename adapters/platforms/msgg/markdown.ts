import { capsOf } from "../../../lib/contracts/gateway/platform-traits.js";
import { layTables } from "../../../lib/gateway/text/tables.js";

const MAX = capsOf("msgg").textMax;

/** Signs that are not seen and change how a text reads. Joiners and selectors of emoji stay. */
const INVISIBLE = /[\u00AD\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/g;

const INLINE =
  /(?<code>`[^`\n]+`)|!?\[(?<label>[^[\]\n]+)\]\((?<url>[^()\s]+(?:\([^()\s]*\)[^()\s]*)?)\)|(?:\*\*|__)(?<bold>[^\s*_][^\n]*?)(?:\*\*|__)|~~(?<gone>[^~\n]+)~~|(?<![\w*])\*(?<star>[^\s*][^*\n]*?)\*(?![\w*])/g;

/** Markdown as models write it, in the platform's dialect (gateway part, 16.5.2). Code stays as it is. */
export function toChat(markdown: string): string {
  let fence: string | undefined;
  return layTables(markdown.replace(INVISIBLE, ""), "monospace", MAX)
    .split("\n")
    .map((line) => {
      const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
      if (mark !== undefined && (fence === undefined || line.trim().startsWith(fence))) {
        fence = fence === undefined ? mark : undefined;
        return "```";
      }
      return fence === undefined ? block(line) : line;
    })
    .join("\n");
}

function block(line: string): string {
  const head = /^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$/.exec(line)?.[1];
  if (head) return `*${head.replace(/\*\*|__|`|~~/g, "")}*`;
  const item = /^(\s*)[*+]\s+(.*)$/.exec(line);
  return item === null ? inline(line) : `${item[1] ?? ""}- ${inline(item[2] ?? "")}`;
}

function inline(text: string): string {
  let out = "";
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    out += text.slice(from, match.index) + marked(match.groups ?? {});
    from = match.index + match[0].length;
  }
  return out + text.slice(from);
}

function marked({ code, label, url, bold, gone, star }: Readonly<Record<string, string | undefined>>): string {
  if (code !== undefined) return code;
  if (label !== undefined && url !== undefined) return `<${url}|${label.replace(/[|<>]/g, " ")}>`;
  if (bold !== undefined) return `*${inline(bold)}*`;
  return gone === undefined ? `_${inline(star ?? "")}_` : `~${inline(gone)}~`;
}
