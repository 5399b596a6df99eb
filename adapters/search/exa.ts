import { isRecord } from "../../lib/base/json/record.js";
import { EXA_URL } from "./keys.js";
import { failureIn, pageService } from "./page-service.js";
import { hitsOf, memberOf, postJson, searchService } from "./service.js";

/** Exa, `POST /search`. */
export const exa = searchService({
  name: "exa",
  baseUrl: EXA_URL,
  keyVariables: ["EXA_API_KEY"],
  keysAt: "https://dashboard.exa.ai",
  perPage: 100,
  request: ({ query, count, base, key }) =>
    postJson(
      `${base}/search`,
      { "x-api-key": key.reveal() },
      { query, type: "auto", numResults: count, contents: { highlights: true } },
    ),
  read: (body) =>
    hitsOf(memberOf(body, "results"), ({ title, url, highlights, summary, text }) => ({
      title,
      url,
      description: highlights ?? summary ?? text,
    })),
});

/** Exa, `POST /contents`. A page that it could not read is named in `statuses`, beside a status of 200. */
export const exaPages = pageService({
  name: "exa",
  baseUrl: EXA_URL,
  keyVariables: ["EXA_API_KEY"],
  keysAt: "https://dashboard.exa.ai",
  request: (url, { base, key }) =>
    postJson(`${base}/contents`, { "x-api-key": key.reveal() }, { urls: [url], text: true }),
  read: (body) => {
    const results = memberOf(body, "results");
    if (!Array.isArray(results)) return undefined;
    const [page] = results.filter(isRecord);
    if (page !== undefined) return { title: page["title"], text: page["text"] };
    const failed = listOf(memberOf(body, "statuses")).filter((one) => one["status"] === "error");
    return failureIn(failed, ({ error }) => (isRecord(error) ? error["tag"] : undefined)) ?? "it has no text";
  },
});

const listOf = (value: unknown) => (Array.isArray(value) ? value.filter(isRecord) : []);
