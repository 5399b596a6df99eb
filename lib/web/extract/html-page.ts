import type { DocumentText } from "../../contracts/web/document.js";
import { plainText } from "../../safety/redact/text.js";
import {
  isComment,
  isElement,
  nodesBelow,
  type PageDocument,
  type PageElement,
  type PageNode,
  parsePage,
} from "./dom.js";
import { toMarkdown, wordsOf } from "./markdown.js";
import { extractText, extractTitle } from "./plain-html.js";

/** Pages of more nodes, or deeper ones, are read in one pass: what looks at their structure takes minutes for them. */
const MOST_NODES = 300_000;
const MOST_DEPTH = 200;
/** An article with less than this share of the page's words is not what the page is about. */
const ARTICLE_SHARE = 0.3;
const ARTICLE_CHARS = 200;
/** A page with fewer characters may be one that its scripts fill. */
const EMPTY_CHARS = 120;
/** A page that leads on within so many seconds, and says little, is only a way. */
const REFRESH_SECONDS = 10;
const REFRESH_CHARS = 600;

const NEEDS_SCRIPTS = "the page builds its text with scripts, which are not run here";
const EMPTY = "the page is empty";
const USE_BROWSER = "open it with browser_navigate";

/** A page of HTML as Markdown. @param url where its links start from; "" when unknown */
export async function htmlText(html: string, url: string): Promise<DocumentText> {
  const document = await parsePage(html);
  const seen = prepare(document, url);
  const refresh = seen.refresh;
  if (seen.nodes > MOST_NODES || seen.depth > MOST_DEPTH) return plainPage(html);
  const title = titleOf(document, html);
  const words = wordsOf(document.body);
  if (refresh !== undefined && words.length < REFRESH_CHARS)
    return { ok: true, kind: "html", title, text: words, refresh };
  if (words.length < EMPTY_CHARS && seen.frames.length > 0)
    return { ok: true, kind: "html", title, text: framesText(words, seen.frames) };
  if (seen.scripts > 0 && isShell(document, words))
    return { ok: false, title, why: withoutScripts(words, seen.about), hint: USE_BROWSER };
  if (words === "") return { ok: false, title, why: EMPTY, hint: USE_BROWSER };
  const article = await articleOf(html, url, words.length);
  const text = plainText(await toMarkdown(article ?? mainPart(document)));
  return { ok: true, kind: "html", title, text: text === "" ? plainText(words) : text };
}

/** The words of a page whose structure is not looked at. */
export function plainPage(html: string): DocumentText {
  const text = plainText(extractText(html));
  const title = extractTitle(html) ?? "";
  return text === "" ? { ok: false, title, why: EMPTY, hint: USE_BROWSER } : { ok: true, kind: "html", title, text };
}

/** Where frameworks put what they make. */
const MOUNTS = "#root, #app, #__next, #__nuxt, #svelte, app-root, [data-reactroot]";

/** What is there before its scripts have run: nothing, or a word of waiting beside an empty place. */
function isShell(document: PageDocument, words: string): boolean {
  if (words === "") return true;
  if (words.length >= EMPTY_CHARS) return false;
  const mount = document.querySelector(MOUNTS);
  return (mount !== null && wordsOf(mount) === "") || /\b(javascript|loading|please wait)\b/i.test(words);
}

/** All that is known of a page that scripts make. */
function withoutScripts(words: string, about: string): string {
  const known = plainText([words, about].filter((text) => text !== "").join("; "));
  return known === "" ? NEEDS_SCRIPTS : `${NEEDS_SCRIPTS} (without them: ${known})`;
}

const framesText = (words: string, frames: readonly string[]): string =>
  [words, "The page consists of frames:", ...frames.map((src) => `- ${src}`)].filter((line) => line !== "").join("\n");

function titleOf(document: PageDocument, html: string): string {
  const own = extractTitle(html) ?? metaOf(document, "og:title") ?? wordsOf(document.querySelector("h1"));
  return plainText(own).replace(/\s+/g, " ").trim().slice(0, 300);
}

function metaOf(document: PageDocument, name: string): string | undefined {
  for (const meta of document.querySelectorAll("meta"))
    if (meta.getAttribute("name") === name || meta.getAttribute("property") === name)
      return meta.getAttribute("content") ?? undefined;
  return undefined;
}

/** The article of the page, where that is most of it. A document of its own: what finds the article takes the page apart. */
async function articleOf(html: string, url: string, chars: number): Promise<PageElement | undefined> {
  const { Readability } = await import("@mozilla/readability");
  const document = await parsePage(html);
  prepare(document, url);
  const reader = new Readability<PageElement>(document as never, {
    // its types name those of a browser
    keepClasses: true,
    charThreshold: ARTICLE_CHARS,
    disableJSONLD: true,
    serializer: (node) => node as unknown as PageElement, // a node of the document that it was given
  });
  const article = reader.parse();
  const length = (article?.textContent ?? "").replace(/\s+/g, " ").length;
  if (length < ARTICLE_CHARS || length < chars * ARTICLE_SHARE) return undefined;
  return article?.content ?? undefined;
}

const AROUND =
  "nav, aside, footer, [role=navigation], [role=banner], [role=contentinfo], [role=complementary], [role=search], body > header";

/** The page without what stands around its content; the whole of it when that would leave little. */
function mainPart(document: PageDocument): PageElement {
  const { body } = document;
  if (body === null) return document.documentElement ?? document;
  const all = wordsOf(body).length;
  const main = body.querySelector("main, [role=main]");
  if (main !== null && wordsOf(main).length > all * ARTICLE_SHARE) return main;
  const around = [...body.querySelectorAll(AROUND)].filter((part) => part.parentNode !== null);
  const rest = all - around.reduce((sum, part) => sum + wordsOf(part).length, 0);
  if (rest > all * ARTICLE_SHARE) for (const part of around) part.remove();
  return body;
}

interface Seen {
  nodes: number;
  depth: number;
  scripts: number;
  readonly frames: string[];
  refresh: string | undefined;
  about: string;
}

/** What readers skip. */
const UNSEEN =
  /^(SCRIPT|STYLE|NOSCRIPT|TEMPLATE|SVG|CANVAS|OBJECT|EMBED|AUDIO|VIDEO|LINK|BUTTON|SELECT|TEXTAREA|DATALIST|DIALOG|MAP)$/i;
const GUTTER = /(^|\s)(gutter|linenos?|line-numbers?|rouge-gutter|lineno-col|headerlink|anchorjs-link|hash-link)(\s|$)/;
const HIDDEN = /(^|;)\s*(display\s*:\s*none|visibility\s*:\s*hidden)/i;

/** Makes a page ready to be read: without what is not seen, with whole addresses. Tells what else it is. */
function prepare(document: PageDocument, url: string): Seen {
  const seen: Seen = { nodes: 0, depth: 0, scripts: 0, frames: [], refresh: undefined, about: "" };
  const base = baseOf(document, url);
  for (const { node, depth } of nodesBelow(document.documentElement ?? document)) {
    seen.nodes += 1;
    seen.depth = Math.max(seen.depth, depth);
    if (seen.nodes > MOST_NODES || depth > MOST_DEPTH) break;
    if (isComment(node)) node.remove();
    else if (isElement(node)) prepareElement(node, base, seen);
  }
  return seen;
}

function prepareElement(node: PageElement, base: string, seen: Seen): void {
  const name = node.nodeName.toUpperCase();
  switch (name) {
    case "SCRIPT":
      if (!/^(application\/(ld\+)?json|text\/template|text\/x-)/i.test(node.getAttribute("type") ?? ""))
        seen.scripts += 1;
      node.remove();
      return;
    case "META":
      noteMeta(node, base, seen);
      return;
    case "A":
      resolveLink(node, base);
      break;
    case "FRAME":
    case "IFRAME": {
      const src = resolved(node.getAttribute("src") ?? "", base);
      if (src !== undefined) seen.frames.push(src);
      node.remove();
      return;
    }
    case "BR":
      if (insidePre(node)) node.replaceWith("\n");
      return;
    case "INPUT":
      if (node.getAttribute("type") === "checkbox")
        node.replaceWith(node.getAttribute("checked") === null ? "[ ] " : "[x] ");
      else node.remove();
      return;
  }
  if (UNSEEN.test(name) || isHidden(node)) node.remove();
}

const isHidden = (node: PageElement): boolean =>
  node.getAttribute("hidden") !== null ||
  HIDDEN.test(node.getAttribute("style") ?? "") ||
  GUTTER.test(node.getAttribute("class") ?? "");

function noteMeta(meta: PageElement, base: string, seen: Seen): void {
  const content = meta.getAttribute("content") ?? "";
  if (/^refresh$/i.test(meta.getAttribute("http-equiv") ?? "")) {
    const to = /^\s*(\d{1,5})(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']+)/i.exec(content);
    const target = to?.[2] === undefined || Number(to[1]) > REFRESH_SECONDS ? undefined : resolved(to[2].trim(), base);
    seen.refresh ??= target;
  }
  if (/^(description|og:description)$/i.test(meta.getAttribute("name") ?? meta.getAttribute("property") ?? ""))
    seen.about ||= plainText(content).replace(/\s+/g, " ").trim().slice(0, 300);
}

function baseOf(document: PageDocument, url: string): string {
  const named = document.querySelector("base")?.getAttribute("href") ?? "";
  return resolved(named, url) ?? url;
}

/** An address of the web, whole. Undefined: it is another kind of address, or none. */
function resolved(href: string, base: string): string | undefined {
  if (!URL.canParse(href, base === "" ? undefined : base)) return undefined;
  const found = new URL(href, base === "" ? undefined : base);
  return /^(https?|mailto):$/.test(found.protocol) ? found.href : undefined;
}

/** Links within the page and to scripts stay words. */
function resolveLink(link: PageElement, base: string): void {
  const href = (link.getAttribute("href") ?? "").trim();
  if (href.startsWith("#")) {
    if (/^[¶#§🔗]?$/u.test(wordsOf(link)) && link.querySelector("img") === null) link.remove();
    else link.removeAttribute("href");
    return;
  }
  const whole = href === "" ? undefined : resolved(href, base);
  if (whole === undefined) link.removeAttribute("href");
  else link.setAttribute("href", whole);
}

function insidePre(node: PageNode): boolean {
  for (let above = node.parentNode; above !== null; above = above.parentNode) if (above.nodeName === "PRE") return true;
  return false;
}
