import { listIn, runFetcher, tokenFrom, withQuery } from "./lib/fetcher.mjs";
import { joinTexts, listAt, textAt, toPlainText } from "./lib/values.mjs";

const HOST = "www.courtlistener.com";
const SNIPPET = 500;

/** The letter by which the service knows a kind of result. @type {Readonly<Record<string, string>>} */
const TYPES = { opinions: "o", dockets: "r", oral: "oa", people: "p", recap: "r" };

/** @type {import("./lib/fetcher.mjs").Fetcher} */
const fetcher = {
  name: "fetch-courtlistener",
  about: "Search opinions, dockets, oral arguments and judges of courts of the United States in CourtListener.",
  what: "result",
  quotaAdvice: "A free token (COURTLISTENER_TOKEN) has a higher quota; --court and --date-from narrow the search.",
  options: {
    query: { takes: "TEXT", about: "Words to search; quote a phrase.", required: true },
    type: { takes: "T", about: "Kind of result.", choices: Object.keys(TYPES), preset: "opinions" },
    court: { takes: "ID", about: "Id of a court, such as scotus, ca9 or nysd." },
    "date-from": { takes: "DATE", kind: "date", about: "Earliest filing date." },
    "date-to": { takes: "DATE", kind: "date", about: "Latest filing date." },
    limit: { takes: "N", kind: "integer", least: 1, most: 5000, preset: 100, about: "Results to load." },
    token: { takes: "T", about: "Token of the service (better in COURTLISTENER_TOKEN, which others cannot see)." },
  },
  columns: [
    "case_name",
    "court",
    "court_id",
    "date_filed",
    "docket_number",
    "judge",
    "citation",
    "result_type",
    "snippet",
    "absolute_url",
  ],
  fetchRows,
};

/** @param {import("./lib/fetcher.mjs").Job} job */
async function* fetchRows({ options, client }) {
  const { query, type, court, limit } = options;
  const token = tokenFrom(options["token"], "COURTLISTENER_TOKEN");
  const request = token === undefined ? {} : { headers: { authorization: `Token ${token}` } };
  /** @type {string | undefined} */
  let url = withQuery(`https://${HOST}/api/rest/v4/search/`, {
    q: query,
    type: TYPES[type],
    court,
    filed_after: options["date-from"],
    filed_before: options["date-to"],
  });
  let count = 0;
  const seen = new Set();
  while (url !== undefined && !seen.has(url)) {
    seen.add(url);
    const answer = await client.json(url, request);
    const results = listIn(answer?.results, HOST, "results");
    for (const result of results) {
      yield toResult(result, type);
      count += 1;
      if (count === limit) return;
    }
    url = results.length === 0 ? undefined : client.nextPage(answer.next, HOST);
  }
}

/**
 * @param {any} result
 * @param {string} type
 */
function toResult(result, type) {
  const path = textAt(result, "absolute_url") || textAt(result, "docket_absolute_url");
  const snippet =
    textAt(result, "snippet") ||
    textAt(result, "opinions", 0, "snippet") ||
    textAt(result, "recap_documents", 0, "snippet");
  return {
    case_name: textAt(result, "caseName") || textAt(result, "name"),
    court: textAt(result, "court") || textAt(result, "positions", 0, "court_full_name"),
    court_id: textAt(result, "court_id") || textAt(result, "positions", 0, "court"),
    date_filed: (textAt(result, "dateFiled") || textAt(result, "dateArgued")).slice(0, 10),
    docket_number: textAt(result, "docketNumber"),
    judge: textAt(result, "judge") || textAt(result, "assignedTo"),
    citation: joinTexts(listAt(result, "citation").map((entry) => textAt(entry))) || textAt(result, "citation"),
    result_type: type,
    snippet: toPlainText(snippet).slice(0, SNIPPET),
    absolute_url: path.startsWith("/") ? `https://${HOST}${path}` : path,
  };
}

await runFetcher(fetcher);
