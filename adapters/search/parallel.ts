import { isRecord } from "../../lib/base/json/record.js";
import { PARALLEL_URL } from "./keys.js";
import { failureIn, pageService } from "./page-service.js";
import { hitsOf, memberOf, postJson, searchService } from "./service.js";

/** Characters of each description. */
const EXCERPT_CHARS = 1_000;

/** Parallel, `POST /v1/search`. The mode is named because the one that is taken otherwise costs several times as much. */
export const parallel = searchService({
  name: "parallel",
  baseUrl: PARALLEL_URL,
  keyVariables: ["PARALLEL_API_KEY"],
  keysAt: "https://platform.parallel.ai",
  perPage: 40,
  request: ({ query, count, base, key }) =>
    postJson(
      `${base}/v1/search`,
      { "x-api-key": key.reveal() },
      {
        search_queries: [query],
        objective: query,
        mode: "basic",
        advanced_settings: { max_results: count, excerpt_settings: { max_chars_per_result: EXCERPT_CHARS } },
      },
    ),
  read: (body) =>
    hitsOf(memberOf(body, "results"), ({ title, url, excerpts }) => ({ title, url, description: excerpts })),
});

/** Parallel, `POST /v1/extract`. */
export const parallelPages = pageService({
  name: "parallel",
  baseUrl: PARALLEL_URL,
  keyVariables: ["PARALLEL_API_KEY"],
  keysAt: "https://platform.parallel.ai",
  request: (url, { base, key }) =>
    postJson(
      `${base}/v1/extract`,
      { "x-api-key": key.reveal() },
      { urls: [url], advanced_settings: { full_content: true } },
    ),
  read: (body) => {
    const results = memberOf(body, "results");
    if (!Array.isArray(results)) return undefined;
    const [page] = results.filter(isRecord);
    if (page !== undefined) return { title: page["title"], text: page["full_content"] };
    const failed = memberOf(body, "errors");
    return (
      failureIn(failed, (one) => [one["error_type"], one["http_status_code"]].filter(Boolean).join(" ")) ??
      "it has no text"
    );
  },
});
