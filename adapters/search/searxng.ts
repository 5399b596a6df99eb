import { SEARXNG_URL } from "./keys.js";
import { hitsOf, memberOf, searchService } from "./service.js";

/** An instance of SearXNG, `GET /search?format=json`. How many results a page has is its own affair. */
export const searxng = searchService({
  name: "searxng",
  baseUrl: SEARXNG_URL,
  keyVariables: [],
  perPage: 100,
  pages: 5,
  request: ({ query, page, base }) => ({
    method: "GET",
    url: `${base}/search?${new URLSearchParams({ q: query, format: "json", pageno: String(page + 1) })}`,
    headers: { accept: "application/json" },
  }),
  read: (body) =>
    hitsOf(memberOf(body, "results"), ({ title, url, content }) => ({ title, url, description: content })),
  explain: (status) =>
    status === 403
      ? "The instance does not allow the format json: add it to search.formats in its settings.yml, or name another instance in web.searxng.base_url"
      : undefined,
});
