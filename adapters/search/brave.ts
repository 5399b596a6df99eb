import type { Ms } from "../../lib/base/units.js";
import { BRAVE_URL } from "./keys.js";
import { hitsOf, memberOf, searchService } from "./service.js";

/** Brave Search, `GET /res/v1/web/search`: at most 20 results a page, and ten pages. */
export const brave = searchService({
  name: "brave",
  baseUrl: BRAVE_URL,
  keyVariables: ["BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"],
  keysAt: "https://api-dashboard.search.brave.com",
  perPage: 20,
  pages: 5,
  request: ({ query, count, page, base, key }) => ({
    method: "GET",
    url: `${base}/res/v1/web/search?${new URLSearchParams({
      q: query,
      count: String(count),
      offset: String(page),
      result_filter: "web",
    })}`,
    headers: { accept: "application/json", "x-subscription-token": key.reveal() },
  }),
  read: (body) => {
    if (memberOf(body, "type") !== "search") return undefined;
    // An answer without hits has no member `web`.
    const list = memberOf(body, "web", "results") ?? [];
    return hitsOf(list, ({ title, url, description }) => ({ title, url, description }));
  },
  resetMs,
});

/** Two limits stand in one header, that of the second and that of the month: seconds until each starts over, and what is left of each. */
function resetMs(headers: Readonly<Record<string, string>>): Ms | undefined {
  const left = numbersOf(headers["x-ratelimit-remaining"]);
  const waits = numbersOf(headers["x-ratelimit-reset"]).filter((_, at) => (left[at] ?? 0) <= 0);
  return waits.length === 0 ? undefined : Math.max(...waits) * 1_000;
}

const numbersOf = (list: string | undefined): readonly number[] =>
  (list ?? "")
    .split(",")
    .map((part) => Number(part.trim() || Number.NaN))
    .filter(Number.isFinite);
