import type { PageElement, PageNode } from "./dom.js";
import { isElement } from "./dom.js";

type Rule = {
  readonly filter: readonly string[] | ((node: PageElement) => boolean);
  readonly replacement: (content: string, node: PageElement) => string;
};

/** As much of Turndown as is used. */
interface Converter {
  escape: (text: string) => string;
  addRule(key: string, rule: Rule): unknown;
  turndown(node: PageElement): string;
}

const OPTIONS = {
  headingStyle: "atx",
  hr: "---",
  br: "",
  bulletListMarker: "-",
  codeBlockStyle: "fenced",
  emDelimiter: "*",
  strongDelimiter: "**",
} as const;

/** A part of a page as Markdown: tables, code with its language, lists; pictures are their descriptions. */
export async function toMarkdown(root: PageElement): Promise<string> {
  const { default: Turndown } = await import("turndown");
  const converter: Converter = new Turndown(OPTIONS) as Converter; // its types name those of a browser
  converter.escape = (text) => text; // a reader needs no backslashes
  const cells = new Map<PageElement, string>();
  const numbers = new Map<PageElement, number>();
  const rules: Readonly<Record<string, Rule>> = {
    cell: { filter: ["td", "th"], replacement: (content, node) => cellText(content, node, cells) },
    table: { filter: ["table"], replacement: (content, node) => tableText(content, node, cells) },
    item: { filter: ["li"], replacement: (content, node) => itemText(content, node, numbers) },
    code: { filter: ["pre"], replacement: (_content, node) => codeText(node) },
    picture: { filter: ["img"], replacement: (_content, node) => pictureText(node) },
    struck: {
      filter: ["del", "s", "strike"],
      replacement: (content) => (content.trim() === "" ? "" : `~~${content}~~`),
    },
    term: { filter: ["dt"], replacement: (content) => `\n\n**${content.trim()}**\n` },
    meaning: { filter: ["dd"], replacement: (content) => `\n: ${content.trim().replace(/\n/g, "\n  ")}\n` },
    link: { filter: (node) => node.nodeName === "A", replacement: linkText },
  };
  for (const [key, rule] of Object.entries(rules)) converter.addRule(key, rule);
  return tidyMarkdown(converter.turndown(root));
}

/** Blank lines at most one in a row outside of code, no blanks at the ends of lines. */
function tidyMarkdown(text: string): string {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const mark = /^\s*(`{3,})/.exec(line)?.[1];
    if (fence === undefined && mark !== undefined) fence = mark;
    else if (fence !== undefined && line.trim() === fence) fence = undefined;
    const kept = fence === undefined ? line.trimEnd() : line;
    if (fence !== undefined || kept !== "" || (lines.at(-1) ?? "") !== "") lines.push(kept);
  }
  return lines.join("\n").trim();
}

function linkText(content: string, node: PageElement): string {
  const href = node.getAttribute("href");
  const words = content.trim();
  if (words === "" || href === null || href === "") return content;
  // A link around blocks cannot be written as one: its address follows them.
  if (words.includes("\n")) return `${content}\n\n[${lastSegment(href)}](${href})\n\n`;
  return `[${words}](${href.replace(/[()\s]/g, encodeURIComponent)})`;
}

const lastSegment = (href: string): string => href.split(/[?#]/, 1)[0]?.split("/").findLast(Boolean) ?? href;

const pictureText = (node: PageElement): string => {
  const alt = (node.getAttribute("alt") ?? "").replace(/\s+/g, " ").trim();
  return alt === "" ? "" : `[image: ${alt}]`;
};

/** Counts the items of a list as they come: finding the place of each again takes minutes in long lists. */
function itemText(content: string, node: PageElement, numbers: Map<PageElement, number>): string {
  const list = node.parentNode;
  const inside = content.replace(/^\n+|\n+$/g, "");
  let prefix = "- ";
  if (list?.nodeName === "OL") {
    const number = numbers.get(list) ?? Number.parseInt(list.getAttribute("start") ?? "1", 10);
    numbers.set(list, (Number.isNaN(number) ? 1 : number) + 1);
    prefix = `${Number.isNaN(number) ? 1 : number}. `;
  }
  return `${prefix}${inside.replace(/\n/g, `\n${" ".repeat(prefix.length)}`)}\n`;
}

/** Class names in which highlighters keep the language. */
const LANGUAGE =
  /(?:^|\s)(?:language-|lang-|highlight-source-|highlight-|brush:\s?|sourceCode\s|code-)([\w+#.-]{1,20})/i;
const NO_LANGUAGE = new Set(["plaintext", "text", "none", "default", "plain", "block", "notranslate"]);

function codeText(pre: PageElement): string {
  const code = (pre.textContent ?? "").replace(/^\n/, "").trimEnd();
  if (code.trim() === "") return "";
  const fence = "`".repeat(
    Math.max(3, 1 + (code.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)),
  );
  return `\n\n${fence}${languageOf(pre)}\n${code}\n${fence}\n\n`;
}

function languageOf(pre: PageElement): string {
  const inside = [...pre.children].find(({ nodeName }) => nodeName === "CODE");
  for (const node of [inside, pre, pre.parentNode, pre.parentNode?.parentNode]) {
    if (node === undefined || node === null || node.getAttribute === undefined) continue;
    const named = node.getAttribute("data-lang") ?? node.getAttribute("data-language");
    const language = named ?? LANGUAGE.exec(node.getAttribute("class") ?? "")?.[1];
    if (language !== undefined && /^[\w+#.-]{1,20}$/.test(language) && !NO_LANGUAGE.has(language.toLowerCase()))
      return language.toLowerCase();
  }
  return "";
}

/** Tables of layout are read cell by cell. */
function isLayout(table: PageElement): boolean {
  if (/^(presentation|none)$/.test(table.getAttribute("role") ?? "")) return true;
  if (table.querySelector("table, pre, ul, ol, h1, h2, h3, h4, p + p") !== null) return true;
  return table.querySelector("th") === null && Math.max(...rowsOf(table).map((row) => cellsOf(row).length), 0) < 2;
}

function tableAround(cell: PageElement): PageElement | undefined {
  let node: PageElement | null = cell.parentNode;
  while (node !== null && node.nodeName !== "TABLE") node = node.parentNode;
  return node ?? undefined;
}

const layouts = new WeakMap<PageElement, boolean>();

function isLayoutOnce(table: PageElement): boolean {
  const before = layouts.get(table);
  if (before !== undefined) return before;
  const found = isLayout(table);
  layouts.set(table, found);
  return found;
}

function cellText(content: string, cell: PageElement, cells: Map<PageElement, string>): string {
  const table = tableAround(cell);
  if (table === undefined || isLayoutOnce(table)) return `\n\n${content}\n\n`;
  cells.set(
    cell,
    content
      .trim()
      .replace(/\s*\n\s*/g, " ")
      .replaceAll("|", "\\|"),
  );
  return content;
}

const rowsOf = (table: PageElement): readonly PageElement[] => {
  const parts = [...table.children];
  return parts.flatMap((part) =>
    part.nodeName === "TR" ? [part] : /^T(HEAD|BODY|FOOT)$/.test(part.nodeName) ? trIn(part) : [],
  );
};
const trIn = (part: PageElement) => [...part.children].filter(({ nodeName }) => nodeName === "TR");
const cellsOf = (row: PageElement) =>
  [...row.children].filter(({ nodeName }) => nodeName === "TD" || nodeName === "TH");

/** Columns of a table; more are not drawn. */
const MOST_COLUMNS = 50;

function tableText(content: string, table: PageElement, cells: Map<PageElement, string>): string {
  if (isLayoutOnce(table)) return `\n\n${content}\n\n`;
  const rows = rowsOf(table).map((row) =>
    cellsOf(row)
      .flatMap((cell) => spread(cell, cells))
      .slice(0, MOST_COLUMNS),
  );
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width === 0) return `\n\n${content}\n\n`;
  const lines = rows.map((row) => `| ${Array.from({ length: width }, (_, at) => row[at] ?? "").join(" | ")} |`);
  const rule = `|${" --- |".repeat(width)}`;
  const headed = [...lines.slice(0, 1), rule, ...lines.slice(1)];
  const caption = [...table.children].find(({ nodeName }) => nodeName === "CAPTION")?.textContent?.trim() ?? "";
  return `\n\n${caption === "" ? "" : `${caption.replace(/\s+/g, " ")}\n\n`}${headed.join("\n")}\n\n`;
}

/** A cell that spans columns leaves the others empty. */
function spread(cell: PageElement, cells: Map<PageElement, string>): readonly string[] {
  const columns = Number.parseInt(cell.getAttribute("colspan") ?? "1", 10) || 1;
  const rest = Math.min(Math.max(columns, 1), MOST_COLUMNS) - 1;
  return [cells.get(cell) ?? "", ...Array.from({ length: rest }, () => "")];
}

/** Text of a node without markup, blanks folded. */
export const wordsOf = (node: PageNode | null): string =>
  node === null
    ? ""
    : (isElement(node) || node.nodeType === 3 ? (node.textContent ?? "") : "").replace(/\s+/g, " ").trim();
