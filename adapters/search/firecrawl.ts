import { FIRECRAWL_URL } from "./keys.js";
import { pageService } from "./page-service.js";
import { hitsOf, memberOf, postJson, searchService } from "./service.js";

/** Firecrawl, `POST /v2/search`. */
export const firecrawl = searchService({
  name: "firecrawl",
  baseUrl: FIRECRAWL_URL,
  keyVariables: ["FIRECRAWL_API_KEY"],
  keysAt: "https://www.firecrawl.dev",
  perPage: 100,
  request: ({ query, count, base, key }) =>
    postJson(
      `${base}/v2/search`,
      { authorization: `Bearer ${key.reveal()}` },
      { query, limit: count, sources: ["web"], origin: "agent" },
    ),
  read: (body) => {
    if (memberOf(body, "success") !== true) return undefined;
    // Without a source named, and in the version before, the list stands in `data` itself.
    const list = memberOf(body, "data", "web") ?? memberOf(body, "data");
    return hitsOf(Array.isArray(list) ? list : [], ({ title, url, description }) => ({ title, url, description }));
  },
});

/** Firecrawl, `POST /v2/scrape`. */
export const firecrawlPages = pageService({
  name: "firecrawl",
  baseUrl: FIRECRAWL_URL,
  keyVariables: ["FIRECRAWL_API_KEY"],
  keysAt: "https://www.firecrawl.dev",
  request: (url, { base, key }) =>
    postJson(
      `${base}/v2/scrape`,
      { authorization: `Bearer ${key.reveal()}` },
      { url, formats: ["markdown"], origin: "agent" },
    ),
  read: (body) => {
    if (memberOf(body, "success") !== true) return undefined;
    return { title: memberOf(body, "data", "metadata", "title"), text: memberOf(body, "data", "markdown") };
  },
});
