import { setTimeout as sleep } from "node:timers/promises";
import { note } from "./lib/command.mjs";
import { listIn, runFetcher, tokenFrom, withQuery } from "./lib/fetcher.mjs";
import { joinTexts, listAt, requireOneOf, textAt } from "./lib/values.mjs";

const HOST = "lda.senate.gov";
/** The most that the service gives. */
const PAGE = 25;
/** Pauses between pages that keep below the limits of the service: 15 and 120 requests a minute. */
const PAUSE_MS = 1_000;
const PAUSE_WITH_TOKEN_MS = 300;

/** @type {import("./lib/fetcher.mjs").Fetcher} */
const fetcher = {
  name: "fetch-senate-ld",
  about: "Load lobbying disclosures (registrations and quarterly reports) filed with the United States Senate.",
  what: "filing",
  quotaAdvice: "A free token (SENATE_LDA_TOKEN) has a higher quota; --year and --client narrow the search.",
  options: {
    client: { takes: "NAME", about: "Text in the name of the client." },
    registrant: { takes: "NAME", about: "Text in the name of the lobbying firm." },
    year: { takes: "YEAR", kind: "integer", least: 1999, most: 2100, about: "Year of the filings." },
    "max-pages": {
      takes: "N",
      kind: "integer",
      least: 1,
      most: 1000,
      preset: 25,
      about: `Pages of ${PAGE} filings to load.`,
    },
    token: { takes: "T", about: "Token of the service (better in SENATE_LDA_TOKEN, which others cannot see)." },
  },
  columns: [
    "filing_uuid",
    "filing_type",
    "filing_year",
    "filing_period",
    "registrant_name",
    "registrant_id",
    "client_name",
    "client_id",
    "client_general_description",
    "income",
    "expenses",
    "lobbyists",
    "issues",
    "government_entities",
    "filing_date",
  ],
  check: (options) => requireOneOf(options, "client", "registrant"),
  fetchRows,
};

/** @param {import("./lib/fetcher.mjs").Job} job */
async function* fetchRows({ options, client }) {
  const token = tokenFrom(options["token"], "SENATE_LDA_TOKEN");
  const request = token === undefined ? {} : { headers: { authorization: `Token ${token}` } };
  /** @type {string | undefined} */
  let url = withQuery(`https://${HOST}/api/v1/filings/`, {
    client_name: options["client"],
    registrant_name: options["registrant"],
    filing_year: options["year"],
    page_size: PAGE,
  });
  for (let page = 1; url !== undefined; page++) {
    if (page > options["max-pages"]) {
      note(`stopped after ${page - 1} pages; more filings match (--max-pages)`);
      return;
    }
    if (page > 1) await sleep(token === undefined ? PAUSE_MS : PAUSE_WITH_TOKEN_MS);
    const answer = await client.json(url, request);
    for (const filing of listIn(answer?.results, HOST, "results")) yield toFiling(filing);
    url = client.nextPage(answer.next, HOST);
  }
}

/** @param {unknown} filing */
function toFiling(filing) {
  const activities = listAt(filing, "lobbying_activities");
  const lobbyists = activities.flatMap((activity) => listAt(activity, "lobbyists"));
  const entities = activities.flatMap((activity) => listAt(activity, "government_entities"));
  return {
    filing_uuid: textAt(filing, "filing_uuid"),
    filing_type: textAt(filing, "filing_type_display") || textAt(filing, "filing_type"),
    filing_year: textAt(filing, "filing_year"),
    filing_period: textAt(filing, "filing_period_display") || textAt(filing, "filing_period"),
    registrant_name: textAt(filing, "registrant", "name"),
    registrant_id: textAt(filing, "registrant", "id"),
    client_name: textAt(filing, "client", "name"),
    client_id: textAt(filing, "client", "id"),
    client_general_description: textAt(filing, "client", "general_description"),
    income: textAt(filing, "income"),
    expenses: textAt(filing, "expenses"),
    lobbyists: joinTexts(lobbyists.map(nameOf)),
    issues: joinTexts(activities.map((activity) => textAt(activity, "general_issue_code_display"))),
    government_entities: joinTexts(entities.map((entity) => textAt(entity, "name"))),
    filing_date: textAt(filing, "dt_posted").slice(0, 10),
  };
}

/** @param {unknown} entry */
function nameOf(entry) {
  return `${textAt(entry, "lobbyist", "first_name")} ${textAt(entry, "lobbyist", "last_name")}`.trim();
}

await runFetcher(fetcher);
