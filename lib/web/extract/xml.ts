import type { DocumentText } from "../../contracts/web/document.js";
import { type PageDocument, type PageElement, parseXml } from "./dom.js";
import { extractText } from "./plain-html.js";

/** Entries of a feed that are shown. */
const MOST_ENTRIES = 500;
const SUMMARY_CHARS = 500;

/** A feed as its entries, a sitemap as its addresses; other XML as it is. */
export async function xmlText(source: string): Promise<DocumentText> {
  const root = firstTag(source);
  if (!/^(rss|rdf:RDF|feed|urlset|sitemapindex)$/.test(root)) return { ok: true, kind: "xml", title: "", text: source };
  const document = await parseXml(source);
  if (root === "urlset" || root === "sitemapindex") return sitemap(document);
  return feed(document);
}

const firstTag = (source: string): string =>
  /<([A-Za-z][\w:.-]{0,40})[\s>]/.exec(
    source.slice(0, 10_000).replace(/<!--[\s\S]*?-->|<\?[\s\S]*?\?>|<![^>]*>/g, ""),
  )?.[1] ?? "";

function feed(document: PageDocument): DocumentText {
  const all = [...document.getElementsByTagName("item"), ...document.getElementsByTagName("entry")];
  const channel = [...document.getElementsByTagName("channel"), ...document.getElementsByTagName("feed")][0];
  const about = childText(channel, "description") || childText(channel, "subtitle");
  const entries = all.slice(0, MOST_ENTRIES).map(entryText);
  const rest = all.length > MOST_ENTRIES ? [`[${all.length - MOST_ENTRIES} more entries are not shown]`] : [];
  const text = [about, ...entries, ...rest].filter((part) => part !== "").join("\n\n");
  return { ok: true, kind: "feed", title: childText(channel, "title"), text: text || "[the feed has no entries]" };
}

function entryText(entry: PageElement): string {
  const title = childText(entry, "title") || "(without a title)";
  const date = ["pubDate", "published", "updated", "dc:date"].map((name) => childText(entry, name)).find(Boolean) ?? "";
  const words = ["description", "summary", "content", "content:encoded"]
    .map((name) => childText(entry, name))
    .find(Boolean);
  const summary = extractText(words ?? "").replace(/\s+/g, " ");
  const shown = summary.length > SUMMARY_CHARS ? `${summary.slice(0, SUMMARY_CHARS)}...` : summary;
  return [`## ${title}`, [date, linkOf(entry)].filter(Boolean).join(" · "), shown]
    .filter((line) => line !== "")
    .join("\n");
}

/** RSS has the address as text, Atom in an attribute. */
function linkOf(entry: PageElement): string {
  const links = childrenOf(entry, "link");
  const main = links.find((one) => (one.getAttribute("rel") ?? "alternate") === "alternate") ?? links[0];
  return main?.getAttribute("href") ?? main?.textContent?.trim() ?? "";
}

const childrenOf = (parent: PageElement | undefined, name: string): readonly PageElement[] =>
  parent === undefined
    ? []
    : [...parent.children].filter((child) => child.nodeName.toLowerCase() === name.toLowerCase());

const childText = (parent: PageElement | undefined, name: string): string =>
  (childrenOf(parent, name)[0]?.textContent ?? "").trim();

function sitemap(document: PageDocument): DocumentText {
  const places = [...document.getElementsByTagName("url"), ...document.getElementsByTagName("sitemap")];
  const lines = places.map((place) =>
    [`- ${childText(place, "loc")}`, childText(place, "lastmod")].filter(Boolean).join(" · "),
  );
  return { ok: true, kind: "feed", title: "Sitemap", text: lines.join("\n") || "[the sitemap is empty]" };
}
