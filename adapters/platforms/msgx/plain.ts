import { capsOf } from "../../../lib/contracts/gateway/platform-traits.js";
import { layTables } from "../../../lib/gateway/text/tables.js";

const MAX = capsOf("msgx").textMax;

/** Markdown as plain text: the platform shows every sign as it is. What stands in code stays. */
export function plainText(markdown: string): string {
  return layTables(markdown, "list", MAX)
    .split(/(```[\s\S]*?(?:```|$)|`[^`\n]+`)/)
    .map((part, at) => (at % 2 === 1 ? code(part) : prose(part)))
    .join("");
}

const code = (part: string): string =>
  part.startsWith("```") ? part.replace(/^```[^\n]*\n?/, "").replace(/\n?```$/, "") : part.slice(1, -1);

const prose = (part: string): string =>
  part
    .replace(/!?\[([^\]\n]*)\]\(([^)\s]+)\)/g, (_, name: string, url: string) =>
      name === "" || name === url ? url : `${name} (${url})`,
    )
    .replace(/^#{1,6} +/gm, "")
    .replace(/(\*\*|__)(?=\S)([^\n]*?\S)\1/g, "$2")
    .replace(/(^|[\s(])\*(?=\S)([^*\n]*?\S)\*(?=$|[\s.,;:!?)])/gm, "$1$2")
    .replace(/~~(?=\S)([^\n]*?\S)~~/g, "$1");
