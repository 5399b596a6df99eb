import { decodeEntities } from "../../lib/base/text/entities.js";
import type { WebHit } from "../../lib/contracts/web/search.js";
import { DUCKDUCKGO_URL } from "./keys.js";
import { searchService } from "./service.js";

const TOO_MANY =
  "duckduckgo asks whether a person is searching: it was asked too often from this address. " +
  "Try again later, or set the key of another service: agent help web";

/** DuckDuckGo without a key: the page that works without scripts. It has one page of results, and refuses those who ask often. */
export const duckduckgo = searchService({
  name: "duckduckgo",
  baseUrl: DUCKDUCKGO_URL,
  keyVariables: [],
  perPage: 30,
  request: ({ query, base }) => ({
    method: "POST",
    url: `${base}/html/`,
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      accept: "text/html",
      "user-agent": "Mozilla/5.0 (compatible; agent)",
    },
    body: new URLSearchParams({ q: query, b: "" }).toString(),
  }),
  read: readPage,
  explain: (status) => (status === 403 || status === 429 ? TOO_MANY : undefined),
});

function readPage(html: string): readonly WebHit[] | string | undefined {
  if (/class="[^"]{0,100}\banomaly-modal/i.test(html)) return TOO_MANY;
  // Each result begins with its own block; what is before the first is the head of the page.
  const hits = html
    .split(/<div[^>]{0,200}\bclass="[^"]{0,200}\bresult__body\b/i)
    .slice(1)
    .flatMap(hitOf);
  if (hits.length > 0) return hits;
  return /\bno-results\b|class="[^"]{0,100}\bserp__results\b/i.test(html) ? [] : undefined;
}

/** The link of a result with its title, and the text below it. */
function hitOf(block: string): readonly WebHit[] {
  const link = /<a\b([^>]{0,3000}\bclass="[^"]{0,100}\bresult__a\b[^>]{0,3000})>([\s\S]{0,2000}?)<\/a>/i.exec(block);
  const snippet =
    /<(a|div|td)\b[^>]{0,3000}\bclass="[^"]{0,100}\bresult__snippet\b[^>]{0,3000}>([\s\S]{0,5000}?)<\/\1>/i.exec(block);
  const url = targetOf(/\bhref="([^"]{1,3000})"/i.exec(link?.[1] ?? "")?.[1] ?? "");
  return url === undefined ? [] : [{ title: link?.[2] ?? "", url, description: snippet?.[2] ?? "" }];
}

/** Links lead over a page that counts them; their target is in `uddg`. Those of advertisements are left out. */
function targetOf(href: string): string | undefined {
  const address = decodeEntities(href);
  const full = address.startsWith("//") ? `https:${address}` : address;
  if (!URL.canParse(full)) return undefined;
  const { hostname, pathname, searchParams } = new URL(full);
  if (!/(^|\.)duckduckgo\.com$/.test(hostname)) return full;
  return pathname === "/l/" ? (searchParams.get("uddg") ?? undefined) : undefined;
}
