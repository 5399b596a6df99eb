import { note } from "./lib/command.mjs";
import { upstreamError, usageError } from "./lib/errors.mjs";
import { listIn, runFetcher, withQuery } from "./lib/fetcher.mjs";
import { elementsIn, listAt, requireOneOf, textAt, toList, toPlainText } from "./lib/values.mjs";
import { normalizeName } from "./normalize.mjs";

const DATA_HOST = "data.sec.gov";
const SEARCH_HOST = "www.sec.gov";
const SHOWN_COMPANIES = 10;

/** @type {import("./lib/fetcher.mjs").Fetcher} */
const fetcher = {
  name: "fetch-sec-edgar",
  about: "Load the recent filings of one company from the EDGAR system of the Securities and Exchange Commission.",
  what: "filing",
  userAgentVariable: "SEC_USER_AGENT",
  quotaAdvice: "EDGAR allows 10 requests a second and blocks an address for about 10 minutes.",
  options: {
    cik: { takes: "N", about: "Central Index Key of the company." },
    company: { takes: "NAME", about: "Name of the company; it must lead to one company." },
    types: { takes: "A,B", about: "Form types to keep, such as 10-K,8-K." },
    since: { takes: "DATE", kind: "date", about: "Keep filings of this date (YYYY-MM-DD) and later." },
  },
  columns: [
    "cik",
    "company_name",
    "form_type",
    "filing_date",
    "accession_number",
    "primary_document",
    "filing_url",
    "reporting_period",
  ],
  check: (options) => {
    requireOneOf(options, "cik", "company");
    if (options["cik"] !== undefined && options["company"] !== undefined)
      throw usageError("--cik and --company cannot be combined");
    if (options["cik"] !== undefined && !/^\d{1,10}$/.test(options["cik"]))
      throw usageError(`--cik: '${options["cik"]}' is not a number of at most 10 digits`);
    toList(options["types"], "types");
  },
  fetchRows,
};

/** @param {import("./lib/fetcher.mjs").Job} job */
async function* fetchRows({ options, client }) {
  const cik = options["cik"] ?? (await findCik(client, options["company"]));
  if (cik === undefined) return;
  const answer = await client.json(`https://${DATA_HOST}/submissions/CIK${cik.padStart(10, "0")}.json`);
  const types = new Set(toList(options["types"], "types").map((type) => type.toUpperCase()));
  const recent = answer?.filings?.recent;
  const numbers = listIn(recent?.accessionNumber, DATA_HOST, "filings.recent.accessionNumber");
  for (const at of numbers.keys()) {
    const row = toFiling(answer, recent, at);
    const isWanted = types.size === 0 || types.has(row.form_type.toUpperCase());
    if (isWanted && row.filing_date >= (options["since"] ?? "")) yield row;
  }
  if (listAt(answer, "filings", "files").length > 0)
    note("EDGAR keeps older filings of this company in further files, which are not loaded.");
}

/**
 * The lists of a submission are columns: the entries at one place belong together.
 *
 * @param {unknown} answer
 * @param {unknown} recent
 * @param {number} at
 */
function toFiling(answer, recent, at) {
  const cik = textAt(answer, "cik").replace(/^0+/, "");
  const number = textAt(recent, "accessionNumber", at);
  const document = textAt(recent, "primaryDocument", at);
  return {
    cik,
    company_name: textAt(answer, "name"),
    form_type: textAt(recent, "form", at),
    filing_date: textAt(recent, "filingDate", at),
    accession_number: number,
    primary_document: document,
    filing_url: `https://${SEARCH_HOST}/Archives/edgar/data/${cik}/${number.replaceAll("-", "")}/${document}`,
    reporting_period: textAt(recent, "reportDate", at),
  };
}

/**
 * @param {import("./lib/client.mjs").Client} client
 * @param {string} company
 * @returns {Promise<string | undefined>}
 */
async function findCik(client, company) {
  const url = withQuery(`https://${SEARCH_HOST}/cgi-bin/browse-edgar`, {
    action: "getcompany",
    company,
    owner: "include",
    count: 40,
    output: "atom",
  });
  const text = await client.text(url);
  const found = companiesIn(text);
  if (found.size === 0 && !/<feed|No matching compan/i.test(text))
    throw upstreamError(`${SEARCH_HOST} did not answer with a list of companies`);
  if (found.size <= 1) return [...found.keys()][0];
  const same = [...found].filter(([, name]) => normalizeName(name) === normalizeName(company));
  if (same.length === 1) return same[0]?.[0];
  const names = [...found].slice(0, SHOWN_COMPANIES).map(([cik, name]) => `${cik} ${name}`.trim());
  throw usageError(
    `--company '${company}' matches ${found.size} companies; choose one with --cik: ${names.join(", ")}`,
  );
}

/**
 * CIK and name of each company in a feed. One that matches alone is described at the top, several are an entry each.
 *
 * @param {string} feed
 * @returns {Map<string, string>}
 */
function companiesIn(feed) {
  /** @type {Map<string, string>} */
  const found = new Map();
  for (const { inside } of [...elementsIn(feed, "company-info"), ...elementsIn(feed, "entry")]) {
    const cik = textIn(inside, "cik").replace(/^0+/, "");
    const [before = "", , behind = ""] = inside.split(/<\/?formerly-names\b/);
    const present = before + behind;
    const name = textIn(present, "conformed-name") || textIn(present, "name") || textIn(present, "title");
    if (/^\d+$/.test(cik) && !found.get(cik)) found.set(cik, name);
  }
  return found;
}

/**
 * @param {string} xml
 * @param {string} name
 */
const textIn = (xml, name) => toPlainText(elementsIn(xml, name)[0]?.inside ?? "");

await runFetcher(fetcher);
