import { isRecord } from "../../lib/base/json/record.js";
import { TAVILY_URL } from "./keys.js";
import { failureIn, pageService } from "./page-service.js";
import { hitsOf, memberOf, postJson, searchService } from "./service.js";

/** Tavily, `POST /search`. */
export const tavily = searchService({
  name: "tavily",
  baseUrl: TAVILY_URL,
  keyVariables: ["TAVILY_API_KEY"],
  keysAt: "https://app.tavily.com",
  perPage: 20,
  request: ({ query, count, base, key }) =>
    postJson(
      `${base}/search`,
      { authorization: `Bearer ${key.reveal()}` },
      { query, max_results: count, search_depth: "basic", include_answer: false },
    ),
  read: (body) =>
    hitsOf(memberOf(body, "results"), ({ title, url, content }) => ({ title, url, description: content })),
  // Its own numbers: the plan's limit, and the limit that the user has set for paying by use.
  explain: (status) =>
    status === 432 || status === 433
      ? "The plan of the account is used up: raise its limit at https://app.tavily.com, or set another service with web.search_backend"
      : undefined,
});

/** Tavily, `POST /extract`. It tells no titles. */
export const tavilyPages = pageService({
  name: "tavily",
  baseUrl: TAVILY_URL,
  keyVariables: ["TAVILY_API_KEY"],
  keysAt: "https://app.tavily.com",
  request: (url, { base, key }) =>
    postJson(
      `${base}/extract`,
      { authorization: `Bearer ${key.reveal()}` },
      { urls: [url], extract_depth: "basic", format: "markdown" },
    ),
  read: (body) => {
    const results = memberOf(body, "results");
    if (!Array.isArray(results)) return undefined;
    const [page] = results.filter(isRecord);
    if (page !== undefined) return { title: "", text: page["raw_content"] };
    return failureIn(memberOf(body, "failed_results"), ({ error }) => error) ?? "it has no text";
  },
});
