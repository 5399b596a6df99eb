import { upstreamError } from "./lib/errors.mjs";
import { listIn, runFetcher, tokenFrom, withQuery } from "./lib/fetcher.mjs";
import { elementsIn, textAt, toPlainText } from "./lib/values.mjs";

const API_HOST = "api.opencorporates.com";
const PAGE_HOST = "opencorporates.com";
/** The most that the service gives on a page. */
const PAGE = 100;

/** @type {import("./lib/fetcher.mjs").Fetcher} */
const fetcher = {
  name: "fetch-opencorporates",
  about: "Search company registers of the world in OpenCorporates: its API with a token, else its public search page.",
  what: "company",
  quotaAdvice: "A token (OPENCORPORATES_API_TOKEN) has a quota of its own; --jurisdiction narrows the search.",
  options: {
    query: { takes: "NAME", about: "Name of the company.", required: true },
    jurisdiction: { takes: "CODE", about: "Code of a jurisdiction, such as gb or us_de." },
    limit: { takes: "N", kind: "integer", least: 1, most: 1000, preset: 50, about: "Companies to load." },
    token: { takes: "T", about: "Token of the API (better in OPENCORPORATES_API_TOKEN, which others cannot see)." },
  },
  columns: [
    "name",
    "company_number",
    "jurisdiction_code",
    "jurisdiction_name",
    "incorporation_date",
    "dissolution_date",
    "company_type",
    "status",
    "registered_address",
    "opencorporates_url",
    "officers_count",
    "source",
  ],
  fetchRows,
};

/** @param {import("./lib/fetcher.mjs").Job} job */
async function* fetchRows({ options, client }) {
  const token = tokenFrom(options["token"], "OPENCORPORATES_API_TOKEN");
  const companies = token === undefined ? searchPages(client, options) : searchApi(client, options, token);
  let count = 0;
  for await (const company of companies) {
    yield company;
    count += 1;
    if (count === options["limit"]) return;
  }
}

/**
 * @param {import("./lib/client.mjs").Client} client
 * @param {import("./lib/command.mjs").Values} options
 * @param {string} token
 */
async function* searchApi(client, { query, jurisdiction, limit }, token) {
  for (let page = 1; ; page++) {
    const url = withQuery(`https://${API_HOST}/v0.4/companies/search`, {
      q: query,
      jurisdiction_code: jurisdiction?.toLowerCase(),
      per_page: Math.min(PAGE, limit),
      page,
      api_token: token,
    });
    const answer = await client.json(url);
    const companies = listIn(answer?.results?.companies, API_HOST, "results.companies");
    for (const { company } of companies) yield toCompany(company);
    if (companies.length === 0 || page >= Number(answer.results.total_pages ?? 1)) return;
  }
}

/** @param {any} company */
function toCompany(company) {
  const code = textAt(company, "jurisdiction_code");
  return {
    name: textAt(company, "name"),
    company_number: textAt(company, "company_number"),
    jurisdiction_code: code,
    jurisdiction_name: nameOfJurisdiction(code),
    incorporation_date: textAt(company, "incorporation_date"),
    dissolution_date: textAt(company, "dissolution_date"),
    company_type: textAt(company, "company_type"),
    status: textAt(company, "current_status") || (company?.inactive === true ? "Inactive" : ""),
    registered_address: textAt(company, "registered_address_in_full").replace(/\s*\n\s*/g, ", "),
    opencorporates_url: textAt(company, "opencorporates_url"),
    officers_count: Array.isArray(company?.officers) ? company.officers.length : "",
    source: "api",
  };
}

/**
 * `us_de` as "United States (DE)".
 *
 * @param {string} code
 */
function nameOfJurisdiction(code) {
  const [, country, part] = /^([a-z]{2})(?:_([a-z\d]{1,3}))?$/.exec(code) ?? [];
  if (country === undefined) return "";
  const name = new Intl.DisplayNames(["en"], { type: "region" }).of(country.toUpperCase());
  return part === undefined ? name : `${name} (${part.toUpperCase()})`;
}

/**
 * The first pages of the search that people use; it shows less of each company.
 *
 * @param {import("./lib/client.mjs").Client} client
 * @param {import("./lib/command.mjs").Values} options
 */
async function* searchPages(client, { query, jurisdiction }) {
  const seen = new Set();
  for (let page = 1; ; page++) {
    const url = withQuery(`https://${PAGE_HOST}/companies`, {
      q: query,
      jurisdiction_code: jurisdiction?.toLowerCase(),
      page: page === 1 ? undefined : page,
    });
    const html = await client.text(url);
    const companies = companiesIn(html);
    const fresh = companies.filter(({ opencorporates_url: address }) => !seen.has(address));
    if (companies.length === 0 && page === 1 && !/\b(?:no|0) (?:companies|results)\b/i.test(html))
      throw upstreamError(
        `${PAGE_HOST} did not show its search page (it may ask for a login); set OPENCORPORATES_API_TOKEN to use the API`,
      );
    for (const company of fresh) {
      seen.add(company.opencorporates_url);
      yield company;
    }
    if (fresh.length === 0 || !/rel=["']?next\b/i.test(html)) return;
  }
}

/** @param {string} html */
function companiesIn(html) {
  const items = elementsIn(html, "li").filter(({ tag }) => /\bcompany\b/.test(attributeOf(tag, "class")));
  return items.flatMap(({ tag, inside }) => {
    const link = elementsIn(inside, "a").find((element) => toPath(element.tag) !== undefined);
    const [code, number] = toPath(link?.tag ?? "") ?? [];
    if (link === undefined || code === undefined || number === undefined) return [];
    return [
      {
        name: toPlainText(link.inside),
        company_number: decodeNumber(number),
        jurisdiction_code: code,
        jurisdiction_name: nameOfJurisdiction(code),
        incorporation_date: partOf(inside, "start_date"),
        dissolution_date: partOf(inside, "end_date"),
        status: partOf(inside, "status") || (/\binactive\b/.test(tag) ? "Inactive" : ""),
        registered_address: partOf(inside, "address"),
        opencorporates_url: `https://${PAGE_HOST}/companies/${code}/${number}`,
        source: "html",
      },
    ];
  });
}

/**
 * Jurisdiction and number in the address that a tag leads to.
 *
 * @param {string} tag
 * @returns {string[] | undefined}
 */
function toPath(tag) {
  const path = attributeOf(tag, "href").replace(`https://${PAGE_HOST}`, "");
  return /^\/companies\/([a-z_]{2,7})\/([^/?#]+)$/.exec(path)?.slice(1);
}

/**
 * @param {string} tag
 * @param {string} name
 */
function attributeOf(tag, name) {
  return new RegExp(` ${name}=["']([^"']*)`, "i").exec(tag)?.[1] ?? "";
}

/** @param {string} number */
function decodeNumber(number) {
  try {
    return decodeURIComponent(number);
  } catch {
    return number; // A percent sign that encodes nothing.
  }
}

/**
 * @param {string} html
 * @param {string} name class of the element
 */
function partOf(html, name) {
  const found = elementsIn(html, "span").find(({ tag }) => attributeOf(tag, "class").split(" ").includes(name));
  return toPlainText(found?.inside ?? "");
}

await runFetcher(fetcher);
