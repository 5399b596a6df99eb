import { usageError } from "./lib/errors.mjs";
import { listIn, runFetcher, withQuery } from "./lib/fetcher.mjs";
import { textAt } from "./lib/values.mjs";

const HOST = "web.archive.org";

/** @type {import("./lib/fetcher.mjs").Fetcher} */
const fetcher = {
  name: "fetch-wayback",
  about: "List archived copies of a web page or site in the Wayback Machine of the Internet Archive.",
  what: "snapshot",
  options: {
    url: { takes: "URL", about: "Page, path or host.", required: true },
    match: {
      takes: "M",
      about: "How far the address reaches.",
      choices: ["exact", "prefix", "host", "domain"],
      preset: "exact",
    },
    "from-date": { takes: "D", about: "Earliest copy, as YYYY, YYYYMM, YYYYMMDD or YYYY-MM-DD." },
    "to-date": { takes: "D", about: "Latest copy, in the form of --from-date." },
    status: { takes: "CODE", about: "Only copies with this HTTP status, such as 200; begin with ! to exclude it." },
    mime: { takes: "TYPE", about: "Only copies of this type, such as text/html; begin with ! to exclude it." },
    collapse: { takes: "FIELD", about: "Keep one of neighbouring copies that agree, such as digest or timestamp:8." },
    limit: { takes: "N", kind: "integer", least: 1, most: 100_000, preset: 200, about: "Copies to load." },
  },
  columns: ["url", "timestamp", "wayback_url", "mimetype", "status", "digest", "length"],
  check: (options) => {
    toStamp("from-date", options["from-date"]);
    toStamp("to-date", options["to-date"]);
  },
  fetchRows,
};

/** @param {import("./lib/fetcher.mjs").Job} job */
async function* fetchRows({ options, client }) {
  const url = new URL(
    withQuery(`https://${HOST}/cdx/search/cdx`, {
      url: options["url"],
      output: "json",
      matchType: options["match"],
      from: toStamp("from-date", options["from-date"]),
      to: toStamp("to-date", options["to-date"]),
      collapse: options["collapse"],
      limit: options["limit"],
    }),
  );
  // One parameter a filter: a second value of one parameter would be ignored.
  if (options["status"] !== undefined) url.searchParams.append("filter", toFilter("statuscode", options["status"]));
  if (options["mime"] !== undefined) url.searchParams.append("filter", toFilter("mimetype", options["mime"]));
  const [header = [], ...rows] = listIn(await client.json(url, { whenEmpty: [] }), HOST, "rows");
  const names = header.length === 0 ? [] : listIn(header, HOST, "header");
  for (const cells of rows.slice(0, options["limit"])) yield toSnapshot(names, cells);
}

/**
 * @param {string} field
 * @param {string} value
 */
const toFilter = (field, value) => (value.startsWith("!") ? `!${field}:${value.slice(1)}` : `${field}:${value}`);

/**
 * @param {string} option
 * @param {string | undefined} text
 */
function toStamp(option, text) {
  const digits = text?.replace(/^(\d{4})-(\d{2})-(\d{2})$/, "$1$2$3");
  if (digits !== undefined && !/^\d{4}(\d{2}){0,5}$/.test(digits))
    throw usageError(`--${option}: '${text}' is not a date such as 2020, 202006 or 2020-06-30`);
  return digits;
}

/**
 * @param {string[]} names
 * @param {unknown} cells
 */
function toSnapshot(names, cells) {
  /** @param {string} name */
  const cell = (name) => textAt(cells, names.indexOf(name));
  const url = cell("original");
  const timestamp = cell("timestamp");
  return {
    url,
    timestamp,
    wayback_url: `https://${HOST}/web/${timestamp}/${url}`,
    mimetype: cell("mimetype"),
    status: cell("statuscode"),
    digest: cell("digest"),
    length: cell("length"),
  };
}

await runFetcher(fetcher);
