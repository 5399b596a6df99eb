import { decodeEntities } from "../../base/text/entities.js";

/** Elements whose content readers skip. */
const UNSEEN = new Set(["script", "style", "noscript", "template", "svg", "head", "iframe", "object"]);
/** Elements that begin a line of their own. */
const BLOCKS =
  /^(address|article|aside|blockquote|br|dd|div|dl|dt|fieldset|figcaption|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tr|ul)$/;

/** The words of a page, a line for each of its blocks. Reads from left to right once, whatever the page is. */
export function extractText(html: string): string {
  const out: string[] = [];
  const lower = html.toLowerCase();
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    out.push(html.slice(at, open < 0 ? html.length : open));
    if (open < 0) break;
    const tag = tagAt(html, lower, open);
    at = tag.end;
    if (tag.text !== undefined) out.push(tag.text);
  }
  return tidy(decodeEntities(out.join("")));
}

/** What a `<` begins: a comment, an element, or nothing but itself. */
function tagAt(html: string, lower: string, open: number): { readonly end: number; readonly text?: string } {
  if (html.startsWith("<!--", open)) return { end: behind(html, "-->", open + 4) };
  const first = html.charAt(open + 1);
  if (!/[a-zA-Z/!?]/.test(first)) return { end: open + 1, text: "<" };
  const end = behind(html, ">", open);
  const name = /^<\/?([a-z][a-z0-9]{0,20})/.exec(lower.slice(open, open + 24))?.[1] ?? "";
  const closes = first === "/";
  if (UNSEEN.has(name) && !closes && html.charAt(end - 2) !== "/") {
    const close = lower.indexOf(`</${name}`, end);
    return { end: close < 0 ? html.length : behind(html, ">", close) };
  }
  if (name === "td" || name === "th") return { end, text: closes ? "\t" : "" };
  if (!BLOCKS.test(name)) return { end };
  return { end, text: name === "li" && !closes ? "\n- " : "\n" };
}

function behind(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at < 0 ? html.length : at + mark.length;
}

/** Blanks folded, empty lines at most one in a row. */
function tidy(text: string): string {
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const words = line.replace(/[^\S\n]+/g, " ").trim();
    if (words !== "" || (lines.at(-1) ?? "") !== "") lines.push(words);
  }
  return lines.join("\n").trim();
}

/** The title of a page. */
export function extractTitle(html: string): string | undefined {
  const inside = /<title[^>]{0,200}>([^<]{1,500})</i.exec(html.slice(0, 100_000))?.[1];
  const title = inside === undefined ? "" : tidy(decodeEntities(inside)).replaceAll("\n", " ");
  return title === "" ? undefined : title;
}
