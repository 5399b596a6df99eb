import { usageError } from "./lib/errors.mjs";
import { listIn, runFetcher, withQuery } from "./lib/fetcher.mjs";
import { textAt } from "./lib/values.mjs";

const HOST = "api.gdeltproject.org";
/** The most that the service gives. */
const MOST = 250;

/** @type {import("./lib/fetcher.mjs").Fetcher} */
const fetcher = {
  name: "fetch-gdelt",
  about: "Search news of the whole world in the index of the GDELT project.",
  what: "article",
  quotaAdvice: "GDELT allows one request every 5 seconds.",
  options: {
    query: { takes: "TEXT", about: "Words to search; quote a phrase.", required: true },
    timespan: { takes: "SPAN", about: "How far back to search, such as 15min, 24h, 7d, 2w or 3months." },
    start: { takes: "TIME", about: "Earliest time, as YYYY-MM-DD or YYYYMMDDHHMMSS." },
    end: { takes: "TIME", about: "Latest time, as YYYY-MM-DD (the whole day) or YYYYMMDDHHMMSS." },
    "source-country": { takes: "C", about: "Country of the publisher, such as US or germany." },
    "source-lang": { takes: "L", about: "Language of the article, such as english." },
    limit: { takes: "N", kind: "integer", least: 1, most: MOST, preset: 100, about: "Articles to load." },
  },
  columns: ["title", "url", "seen_date", "domain", "language", "source_country", "tone", "social_image"],
  check: (options) => {
    if (options["timespan"] !== undefined && (options["start"] ?? options["end"]) !== undefined)
      throw usageError("--timespan cannot be combined with --start or --end");
    if (options["timespan"] !== undefined && !/^\d+(min|h|hours|d|days|w|weeks|m|months)$/.test(options["timespan"]))
      throw usageError(`--timespan: '${options["timespan"]}' is not a span such as 24h, 7d or 3months`);
    for (const name of ["source-country", "source-lang"])
      if (options[name] !== undefined && !/^[a-z]+$/i.test(options[name]))
        throw usageError(`--${name}: '${options[name]}' is not one word of letters`);
    toMoment("start", options["start"], "000000");
    toMoment("end", options["end"], "235959");
  },
  fetchRows,
};

/** @param {import("./lib/fetcher.mjs").Job} job */
async function* fetchRows({ options, client }) {
  const { query, "source-country": country, "source-lang": language } = options;
  const words = [query, country && `sourcecountry:${country}`, language && `sourcelang:${language}`];
  const url = withQuery(`https://${HOST}/api/v2/doc/doc`, {
    query: words.filter(Boolean).join(" "),
    mode: "ArtList",
    format: "json",
    maxrecords: options["limit"],
    timespan: options["timespan"],
    startdatetime: toMoment("start", options["start"], "000000"),
    enddatetime: toMoment("end", options["end"], "235959"),
  });
  const answer = await client.json(url, { repair });
  // Without a match the answer is an empty object.
  const articles = answer?.articles === undefined && isEmptyObject(answer) ? [] : answer?.articles;
  for (const article of listIn(articles, HOST, "articles").slice(0, options["limit"])) yield toArticle(article);
}

/**
 * Headlines come with control signs and with backslashes that JSON does not know.
 *
 * @param {string} text
 */
const repair = (text) =>
  text.replace(/\p{Cc}/gu, " ").replace(/\\(["\\/bfnrtu])|\\/g, (whole, known) => (known ? whole : ""));

/** @param {unknown} value */
const isEmptyObject = (value) => typeof value === "object" && value !== null && Object.keys(value).length === 0;

/**
 * @param {string} option
 * @param {string | undefined} text
 * @param {string} clock the time of a day that is given without one
 */
function toMoment(option, text, clock) {
  if (text === undefined) return undefined;
  const digits = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text.replaceAll("-", "")}${clock}` : text;
  if (!/^\d{14}$/.test(digits)) throw usageError(`--${option}: '${text}' is not YYYY-MM-DD or YYYYMMDDHHMMSS`);
  return digits;
}

/** @param {unknown} article */
function toArticle(article) {
  return {
    title: textAt(article, "title"),
    url: textAt(article, "url"),
    seen_date: toIsoTime(textAt(article, "seendate")),
    domain: textAt(article, "domain"),
    language: textAt(article, "language"),
    source_country: textAt(article, "sourcecountry"),
    tone: textAt(article, "tone"),
    social_image: textAt(article, "socialimage"),
  };
}

/**
 * `20240131T154500Z` as `2024-01-31T15:45:00Z`.
 *
 * @param {string} text
 */
const toIsoTime = (text) => text.replace(/^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/, "$1-$2-$3T$4:$5:$6Z");

await runFetcher(fetcher);
