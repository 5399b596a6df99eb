import { countCells } from "../../base/text/cells.js";
import type { EventOrigin } from "../../contracts/board/platform-tag.js";
import { traitsOf } from "../../contracts/gateway/platform-traits.js";

/** Widest table that is shown as one, in cells: more breaks on a phone. */
const WIDTH = 60;

const RULER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;
const LINK = /\[[^[\]\n]+\]\([^()\s]+\)|https?:\/\//;

type Row = readonly string[];

/** A table of Markdown. */
interface Table {
  readonly head: Row;
  readonly rows: readonly Row[];
  /** Columns whose cells stand at the right. */
  readonly right: readonly boolean[];
  /** Lines of the text that it takes. */
  readonly lines: number;
}

/**
 * Tables of Markdown for a platform that shows none. `monospace`: as columns in a code block. A table that is wider than a phone, or has links in it,
 * becomes a list, as do all with `list`, for platforms without a code block. Everything else stays.
 *
 * @param max UTF-16 code units that the result may have where the text itself is not longer; with columns it is longer, so it may fit as a list only
 */
export function layTables(markdown: string, how: "monospace" | "list", max = Number.POSITIVE_INFINITY): string {
  if (!markdown.includes("|")) return markdown;
  const columns = how === "monospace" ? layOut(markdown, alignColumns) : "";
  if (columns !== "" && columns.length <= max) return columns;
  const lists = layOut(markdown, () => undefined);
  return lists.length <= max ? lists : markdown;
}

function layOut(markdown: string, align: (table: Table) => Row | undefined): string {
  const out: string[] = [];
  const lines = markdown.split("\n");
  let fence: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence)))
      fence = fence === undefined ? mark : undefined;
    const table = fence === undefined ? tableAt(lines, at) : undefined;
    if (table === undefined) out.push(line);
    else {
      out.push(...(align(table) ?? listRows(table)));
      at += table.lines - 1;
    }
  }
  return out.join("\n");
}

function tableAt(lines: readonly string[], at: number): Table | undefined {
  const [first = "", ruler = ""] = lines.slice(at, at + 2);
  if (!first.includes("|") || !ruler.includes("|") || !ruler.includes("-") || !RULER.test(ruler)) return undefined;
  const rows: Row[] = [];
  for (let next = at + 2; (lines[next] ?? "").includes("|"); next++) rows.push(cells(lines[next] ?? ""));
  return { head: cells(first), rows, right: cells(ruler).map((cell) => /^-+:$/.test(cell)), lines: rows.length + 2 };
}

/** A border is a bar without a backslash before it. */
const cells = (line: string): Row =>
  line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));

/** @returns undefined when it does not fit, or loses a link in code */
function alignColumns({ head, rows, right }: Table): Row | undefined {
  const all = [head, ...rows].map((row) => head.map((_, at) => withoutMarks(row[at] ?? "")));
  if ([head, ...rows].some((row) => row.some((cell) => LINK.test(cell) || cell.includes("```")))) return undefined;
  const widths = head.map((_, at) => Math.max(1, ...all.map((row) => countCells(row[at] ?? ""))));
  if (widths.reduce((sum, width) => sum + width + 2, -2) > WIDTH) return undefined;
  const aligned = all.map((row) =>
    row
      .map((cell, at) => {
        const blanks = " ".repeat((widths[at] ?? 0) - countCells(cell));
        return right[at] === true ? blanks + cell : cell + blanks;
      })
      .join("  ")
      .trimEnd(),
  );
  const ruler = widths.map((width) => "-".repeat(width)).join("  ");
  return ["```", ...aligned.slice(0, 1), ruler, ...aligned.slice(1), "```"];
}

/** Code shows marks as they are. */
const withoutMarks = (cell: string): string =>
  cell
    .split(/(`[^`]+`)/)
    .map((part, at) => (at % 2 === 1 ? part.slice(1, -1) : plainWords(part)))
    .join("");

const plainWords = (text: string): string =>
  text.replace(/\*\*|__|~~/g, "").replace(/(^|[^\w*])\*([^\s*][^*]*)\*(?![\w*])/g, "$1$2");

function listRows({ head, rows }: Table): Row {
  return rows.map((row) => {
    const parts = row.map((cell, at) => ((head[at] ?? "") === "" ? cell : `${withoutMarks(head[at] ?? "")}: ${cell}`));
    return `- ${parts.filter((part) => part !== "").join("; ")}`;
  });
}

/** What a command printed, as a message: columns that blanks align need a monospace font. */
export function layColumns(
  platform: EventOrigin,
  text: string,
): { readonly text: string; readonly format: "plain" | "markdown" } {
  const lines = text.split("\n");
  const hasColumns = lines.some((line, at) => COLUMNS.test(line) && COLUMNS.test(lines[at + 1] ?? ""));
  if (!hasColumns || text.includes("```") || !traitsOf(platform).monospace) return { text, format: "plain" };
  return { text: `\`\`\`\n${text}\n\`\`\``, format: "markdown" };
}

const COLUMNS = /\S {2,}\S/;
