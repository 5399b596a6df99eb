import { usageError } from "./lib/errors.mjs";
import { listIn, runFetcher, withQuery } from "./lib/fetcher.mjs";
import { requireOneOf, textAt } from "./lib/values.mjs";

const HOST = "data.cityofnewyork.us";
const PARTIES = `https://${HOST}/resource/636b-3b5g.json`;
const DOCUMENTS = `https://${HOST}/resource/bnx9-e6tj.json`;
const PAGE = 1000;
/** Documents asked for at once: their ids stand in the address. */
const GROUP = 50;

const ROLES = new Map([
  ["1", "grantor, seller or borrower"],
  ["2", "grantee, buyer or lender"],
  ["3", "other"],
]);
const BOROUGHS = new Map([
  ["1", "Manhattan"],
  ["2", "Bronx"],
  ["3", "Brooklyn"],
  ["4", "Queens"],
  ["5", "Staten Island"],
]);

/** @type {import("./lib/fetcher.mjs").Fetcher} */
const fetcher = {
  name: "fetch-nyc-acris",
  about: "Search deeds, mortgages and other property records of New York City (all boroughs but Staten Island).",
  what: "party",
  options: {
    name: { takes: "NAME", about: "Text in the name of a party; % stands for any characters." },
    address: { takes: "TEXT", about: "Text in the address of a party." },
    "party-type": { takes: "N", about: "1 grantor, 2 grantee, 3 other.", choices: ["1", "2", "3"] },
    limit: { takes: "N", kind: "integer", least: 1, most: 50_000, preset: 200, about: "Parties to load." },
    "no-enrich": { about: "Leave out type, dates and amount of each document, which need further requests." },
  },
  columns: [
    "document_id",
    "name",
    "party_type",
    "party_role",
    "address_1",
    "address_2",
    "city",
    "state",
    "zip",
    "country",
    "doc_type",
    "doc_date",
    "recorded_date",
    "borough",
    "amount",
    "filing_url",
  ],
  check: (options) => {
    requireOneOf(options, "name", "address");
    if (options["name"] !== undefined && options["address"] !== undefined)
      throw usageError("--name and --address cannot be combined");
  },
  fetchRows,
};

/** @param {import("./lib/fetcher.mjs").Job} job */
async function* fetchRows({ options, client }) {
  const { limit, "no-enrich": isPlain } = options;
  let loaded = 0;
  while (loaded < limit) {
    const count = Math.min(PAGE, limit - loaded);
    const url = withQuery(PARTIES, {
      $where: toCondition(options),
      $order: "document_id,party_type,name",
      $limit: count,
      $offset: loaded,
    });
    const parties = listIn(await client.json(url), HOST, "parties").slice(0, count);
    const documents = isPlain ? new Map() : await loadDocuments(client, parties);
    for (const party of parties) yield toRecord(party, documents.get(textAt(party, "document_id")));
    loaded += parties.length;
    if (parties.length < count) return;
  }
}

/** @param {import("./lib/command.mjs").Values} options */
function toCondition({ name, address, "party-type": type }) {
  const column = name === undefined ? "address_1" : "name";
  const text = String(name ?? address)
    .toUpperCase()
    .replaceAll("'", "''");
  return `upper(${column}) like '%${text}%'${type === undefined ? "" : ` AND party_type = '${type}'`}`;
}

/**
 * @param {import("./lib/client.mjs").Client} client
 * @param {readonly unknown[]} parties
 */
async function loadDocuments(client, parties) {
  const ids = [...new Set(parties.map((party) => textAt(party, "document_id")))].filter((id) => /^\w+$/.test(id));
  /** @type {Map<string, unknown>} */
  const documents = new Map();
  for (let from = 0; from < ids.length; from += GROUP) {
    const group = ids.slice(from, from + GROUP);
    const $where = `document_id in(${group.map((id) => `'${id}'`).join(",")})`;
    const found = await client.json(withQuery(DOCUMENTS, { $where, $limit: PAGE }));
    for (const document of listIn(found, HOST, "documents")) documents.set(textAt(document, "document_id"), document);
  }
  return documents;
}

/**
 * @param {unknown} party
 * @param {unknown} document
 */
function toRecord(party, document) {
  const id = textAt(party, "document_id");
  const type = textAt(party, "party_type");
  return {
    document_id: id,
    name: textAt(party, "name"),
    party_type: type,
    party_role: ROLES.get(type),
    address_1: textAt(party, "address_1"),
    address_2: textAt(party, "address_2"),
    city: textAt(party, "city"),
    state: textAt(party, "state"),
    zip: textAt(party, "zip"),
    country: textAt(party, "country"),
    doc_type: textAt(document, "doc_type"),
    doc_date: textAt(document, "document_date").slice(0, 10),
    recorded_date: textAt(document, "recorded_datetime").slice(0, 10),
    borough: BOROUGHS.get(textAt(document, "recorded_borough")),
    amount: textAt(document, "document_amt"),
    filing_url: `https://a836-acris.nyc.gov/DS/DocumentSearch/DocumentDetail?doc_id=${encodeURIComponent(id)}`,
  };
}

await runFetcher(fetcher);
