import { isRecord, jsonOf } from "../../lib/base/json/record.js";
import type { WebHit } from "../../lib/contracts/web/search.js";
import { SEARCH_VENDOR_MODEL, SEARCH_VENDOR_URL } from "./keys.js";
import { postJson, searchService } from "./service.js";

/** Where the title ends and the description begins in each line of the answer. */
const LINE = /^\s*(?:[-*]|\d{1,3}[.)])?\s*(.{1,300}?)\s\|\s(https?:\/\/\S{1,2000})\s\|\s(.{0,1000})$/;

/**
 * A vendor's model with its own web search, over the Responses protocol, with its login or its key. Each search pays for a model, so it is used only where it is named.
 * Its pages are those that the answer cites.
 */
export const searchVendor = searchService({
  name: "search-vendor",
  onlyNamed: true,
  baseUrl: SEARCH_VENDOR_URL,
  keyVariables: ["SEARCH_VENDOR_API_KEY", "XAI_API_KEY"],
  login: "search-vendor",
  keysAt: "https://console.x.ai",
  perPage: 30,
  limitMs: 55_000,
  request: ({ query, count, base, key, config }) =>
    postJson(
      `${base}/responses`,
      { authorization: `Bearer ${key.reveal()}` },
      {
        model: config.get(SEARCH_VENDOR_MODEL),
        store: false,
        tools: [{ type: "web_search" }],
        input: [
          {
            role: "user",
            content: `Search the web and list the ${count} best pages, one a line, as TITLE | URL | one sentence on what it says. Nothing else. Search for: ${query}`,
          },
        ],
      },
    ),
  read: readAnswer,
});

function readAnswer(body: string): readonly WebHit[] | undefined {
  const answer = jsonOf(body);
  if (!isRecord(answer) || !Array.isArray(answer["output"])) return undefined;
  const parts = answer["output"]
    .filter(isRecord)
    .flatMap(({ content }) => (Array.isArray(content) ? content.filter(isRecord) : []));
  const lines = parts
    .flatMap(({ text }) => (typeof text === "string" ? text.split("\n") : []))
    .flatMap((line) => {
      const [, title = "", url = "", description = ""] = LINE.exec(line) ?? [];
      return url === "" ? [] : [{ title: title.replace(/^\*+|\*+$/g, ""), url, description }];
    });
  const cited = [...parts.flatMap(({ annotations }) => citations(annotations)), ...citations(answer["citations"])];
  // A line may name what was never looked at: with citations there are, those count alone.
  const urls = new Set(cited.map(({ url }) => url));
  const listed = urls.size === 0 ? lines : lines.filter(({ url }) => urls.has(url));
  return [...listed, ...cited];
}

function citations(list: unknown): readonly WebHit[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown) => {
    const url = typeof one === "string" ? one : isRecord(one) ? one["url"] : undefined;
    const title = isRecord(one) && typeof one["title"] === "string" && !/^\d*$/.test(one["title"]) ? one["title"] : url;
    return typeof url === "string" ? [{ title: String(title), url, description: "" }] : [];
  });
}
