import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { recordsWorld as setup } from "../../../fixtures/e2e/records-world.js";

const SEC = { SEC_USER_AGENT: "Jo Doe jo@example.org" };

test("filings of a company from EDGAR, found by its name", async (t) => {
  const { fetch, host } = await setup(t);
  const rows = await fetch(
    "fetch-sec-edgar",
    ["--company", "acme widgets", "--types", "10-k,8-K", "--since", "2023-01-01"],
    SEC,
  );
  assert.deepEqual(rows, [
    "cik,company_name,form_type,filing_date,accession_number,primary_document,filing_url,reporting_period".split(","),
    [
      "12345",
      "ACME WIDGETS & CO",
      "10-K",
      "2024-02-14",
      "0000012345-24-000002",
      "annual, final.htm",
      "https://www.sec.gov/Archives/edgar/data/12345/000001234524000002/annual, final.htm",
      "2023-12-31",
    ],
  ]);
  assert.deepEqual(
    host.requests.map(({ path, headers }) => [path, headers["user-agent"]]),
    [
      ["/cgi-bin/browse-edgar", SEC.SEC_USER_AGENT],
      ["/submissions/CIK0000012345.json", SEC.SEC_USER_AGENT],
    ],
  );
});

test("EDGAR without a user agent is refused before any request", async (t) => {
  const { run, host } = await setup(t);
  const ran = await run("fetch-sec-edgar.mjs", ["--cik", "1", "--out", "o.csv", "--base-url", host.url]);
  assert.equal(ran.code, 2);
  assert.match(ran.err, /SEC_USER_AGENT is not set/);
  assert.equal(host.requests.length, 0);
});

test("a name that several companies have lists them and writes nothing", async (t) => {
  const { run, host, path } = await setup(t);
  const ran = await run("fetch-sec-edgar.mjs", ["--company", "acme", "--out", "o.csv", "--base-url", host.url], SEC);
  assert.equal(ran.code, 2);
  assert.match(ran.err, /matches 2 companies.*--cik: 12345 ACME WIDGETS CO, 67890 ACME BANK/);
  assert.ok(!existsSync(path("o.csv")));
});

test("awards of a fiscal year from USAspending, page by page", async (t) => {
  const { fetch, host } = await setup(t);
  const rows = await fetch("fetch-usaspending", [
    "--recipient",
    "Acme",
    "--agency",
    "Department of Defense",
    "--fy",
    "2024",
  ]);
  assert.deepEqual(
    rows.map(([id]) => id),
    ["award_id", "W1-A", "W1-B", "W2-A", "W2-B", "W3-A", "W3-B"],
  );
  assert.deepEqual(rows[1]?.slice(1), [
    "ACME WIDGETS, INC.",
    "ABCDEF123456",
    "",
    "",
    "VA",
    "Department of Defense",
    "Department of the Navy",
    "DEFINITIVE CONTRACT",
    "1250000.5",
    "2023-11-15",
    "2023-12-01",
    "2025-11-30",
    "334511",
    "5841",
    "",
    'RADAR "X", SPARES\nAND REPAIR',
  ]);
  assert.deepEqual(rows[2]?.slice(13, 16), ["541511", "D302", "NOT COMPETED"]);
  const [first] = host.requests.map(({ body }) => JSON.parse(body));
  assert.deepEqual(first.filters, {
    award_type_codes: ["A", "B", "C", "D"],
    recipient_search_text: ["Acme"],
    agencies: [{ type: "awarding", tier: "toptier", name: "Department of Defense" }],
    time_period: [{ start_date: "2023-10-01", end_date: "2024-09-30" }],
  });
  assert.deepEqual([first.limit, first.sort, first.order], [100, "Award Amount", "desc"]);
});

test("--max-pages ends a search and says that more matches; --sole-source-only filters at the service", async (t) => {
  const { run, host } = await setup(t);
  const args = [
    "--recipient",
    "Acme",
    "--sole-source-only",
    "--max-pages",
    "2",
    "--out",
    "o.csv",
    "--base-url",
    host.url,
  ];
  const ran = await run("fetch-usaspending.mjs", args);
  assert.equal(ran.code, 0);
  assert.match(ran.err, /stopped after 2 pages; more awards match \(--max-pages\)/);
  assert.equal(host.requests.length, 2);
  assert.deepEqual(JSON.parse(host.requests[0]?.body ?? "").filters.extent_competed_type_codes, [
    "B",
    "C",
    "E",
    "G",
    "NDO",
  ]);
});

test("lobbying reports from the Senate, with a token and every page", async (t) => {
  const { fetch, host } = await setup(t);
  const rows = await fetch("fetch-senate-ld", ["--client", "acme", "--year", "2024"], { SENATE_LDA_TOKEN: "s3cret" });
  assert.equal(rows.length, 4);
  assert.deepEqual(rows[1], [
    "00000000-0000-4000-8000-000000000001",
    "1st Quarter - Report",
    "2024",
    "1st Quarter (Jan 1 - Mar 31)",
    "SMITH & JONES LLC",
    "401",
    "ACME WIDGETS INC",
    "77",
    "makes widgets",
    "50000.00",
    "",
    "JO DOE; ANN ROE",
    "Defense; Taxation/Internal Revenue Code",
    "SENATE; HOUSE OF REPRESENTATIVES",
    "2024-04-19",
  ]);
  assert.deepEqual(
    host.requests.map(({ query }) => query.get("page")),
    [null, "2", "3"],
  );
  assert.ok(host.requests.every(({ headers }) => headers.authorization === "Token s3cret"));
  assert.equal(host.requests[0]?.query.get("page_size"), "25");
});

test("sanctioned persons from OFAC, whose lists are in Latin-1", async (t) => {
  const { fetch } = await setup(t);
  const rows = await fetch("fetch-ofac-sdn", ["--program", "sdgt", "--type", "individual"]);
  assert.deepEqual(rows.slice(1), [
    [
      "2676",
      "GARCÍA PEÑA, José",
      "individual",
      "SDNT; SDGT",
      "Director",
      "Colombia; Panama",
      "PEÑA, Pepe; GARCIA, J.",
      "Calle 5 #10, Apto 2, Cali, Colombia | Panama",
      "12 Dec 1961; 1962",
      "Cali, Colombia",
      "DOB 12 Dec 1961; alt. DOB 1962; POB Cali, Colombia; nationality Colombia; citizen Panama; Cedula No. 16583 (Colombia).",
      "2024-05-08",
    ],
  ]);
});

test("an OFAC entry without a type is an entity", async (t) => {
  const { fetch } = await setup(t);
  const rows = await fetch("fetch-ofac-sdn", ["--type", "entity"]);
  assert.deepEqual(rows[1]?.slice(0, 8), [
    "36",
    "AEROCARIBBEAN AIRLINES",
    "entity",
    "CUBA",
    "",
    "",
    "AERO-CARIBBEAN",
    "Havana, Cuba",
  ]);
});

test("offshore companies from the ICIJ archive, which is loaded once", async (t) => {
  const { fetch, host, path } = await setup(t);
  const env = { RECORDS_CACHE: path("cache") };
  const rows = await fetch("fetch-icij-offshore", ["--entity", "acme"], env);
  assert.deepEqual(rows.slice(1), [
    [
      "10000001",
      "ACME HOLDINGS, LTD.",
      "entity",
      "HKG;CHN",
      "Hong Kong;China",
      "BVI",
      "23-MAR-2006",
      "18-FEB-2013",
      "Panama Papers",
      "https://offshoreleaks.icij.org/nodes/10000001",
      "officer_of 12000001; intermediary_of 11000001",
    ],
    [
      "10000002",
      'ZENITH "ACME" S.A.',
      "entity",
      "PAN",
      "Panama",
      "PMA",
      "01-JAN-1999",
      "",
      "Panama Papers",
      "https://offshoreleaks.icij.org/nodes/10000002",
      "",
    ],
    [
      "11000001",
      "ACME LAW OFFICE",
      "intermediary",
      "HKG",
      "Hong Kong",
      "",
      "",
      "",
      "Panama Papers",
      "https://offshoreleaks.icij.org/nodes/11000001",
      "intermediary_of 10000001",
    ],
  ]);
  assert.deepEqual(
    (await fetch("fetch-icij-offshore", ["--officer", "peña"], env)).map(([id]) => id),
    ["node_id", "12000001"],
  );
  assert.deepEqual((await fetch("fetch-icij-offshore", ["--jurisdiction", "bvi", "--limit", "1"], env)).length, 2);
  assert.equal(host.requests.length, 1);
  await fetch("fetch-icij-offshore", ["--entity", "acme", "--force-refresh"], env);
  await fetch("fetch-icij-offshore", ["--entity", "acme", "--cache-days", "0"], env);
  assert.equal(host.requests.length, 3);
});

test("property records of New York, with their documents", async (t) => {
  const { fetch, host } = await setup(t);
  const rows = await fetch("fetch-nyc-acris", ["--name", "acme o'neil", "--party-type", "2"]);
  assert.deepEqual(rows[1], [
    "2023010100123001",
    "ACME REALTY LLC",
    "2",
    "grantee, buyer or lender",
    "1 O'NEIL PLAZA",
    "",
    "NEW YORK",
    "NY",
    "10001",
    "US",
    "DEED",
    "2022-12-20",
    "2023-01-05",
    "Brooklyn",
    "1500000",
    "https://a836-acris.nyc.gov/DS/DocumentSearch/DocumentDetail?doc_id=2023010100123001",
  ]);
  assert.deepEqual(rows[2]?.slice(0, 4), ["FT_1230000123", "=ACME(1)", "1", "grantor, seller or borrower"]);
  assert.equal(host.requests[0]?.query.get("$where"), "upper(name) like '%ACME O''NEIL%' AND party_type = '2'");
  assert.equal(host.requests[1]?.query.get("$where"), "document_id in('2023010100123001','FT_1230000123')");
});

test("--no-enrich asks for the parties only", async (t) => {
  const { fetch, host } = await setup(t);
  const rows = await fetch("fetch-nyc-acris", ["--address", "acme", "--no-enrich"]);
  assert.equal(rows[1]?.[10], "");
  assert.equal(host.requests.length, 1);
});

test("companies from the API of OpenCorporates with a token", async (t) => {
  const { fetch, host } = await setup(t);
  const rows = await fetch("fetch-opencorporates", ["--query", "acme", "--jurisdiction", "US_DE"], {
    OPENCORPORATES_API_TOKEN: "t0k",
  });
  assert.deepEqual(rows.slice(1), [
    [
      "ACME WIDGETS LIMITED",
      "001",
      "us_de",
      "United States (DE)",
      "2001-02-03",
      "",
      "Domestic Corporation",
      "Active",
      "1 High Street, Wilmington",
      "https://opencorporates.com/companies/us_de/001",
      "",
      "api",
    ],
    [
      "ACME WIDGETS LIMITED",
      "002",
      "us_de",
      "United States (DE)",
      "2001-02-03",
      "",
      "Domestic Corporation",
      "Active",
      "1 High Street, Wilmington",
      "https://opencorporates.com/companies/us_de/002",
      "",
      "api",
    ],
  ]);
  assert.equal(host.requests[0]?.query.get("jurisdiction_code"), "us_de");
});

test("companies from the search page of OpenCorporates without a token", async (t) => {
  const { fetch } = await setup(t);
  const rows = await fetch("fetch-opencorporates", ["--query", "acme"]);
  assert.deepEqual(rows.slice(1), [
    [
      "ACME WIDGETS & CO",
      "4512345",
      "us_de",
      "United States (DE)",
      "3 Feb 2001",
      "",
      "",
      "",
      "1 High Street, Wilmington",
      "https://opencorporates.com/companies/us_de/4512345",
      "",
      "html",
    ],
    [
      "ACME (SCOTLAND)",
      "SC001 X",
      "gb",
      "United Kingdom",
      "1 Jan 1990",
      "2 Mar 1999",
      "",
      "Dissolved",
      "",
      "https://opencorporates.com/companies/gb/SC001%20X",
      "",
      "html",
    ],
  ]);
});

test("a page of OpenCorporates that asks for a login is a failure, not an empty result", async (t) => {
  const { run, host, path } = await setup(t);
  const ran = await run("fetch-opencorporates.mjs", ["--query", "login", "--out", "o.csv", "--base-url", host.url]);
  assert.equal(ran.code, 4);
  assert.match(ran.err, /set OPENCORPORATES_API_TOKEN/);
  assert.ok(!existsSync(path("o.csv")));
});

test("opinions from CourtListener behind a cursor", async (t) => {
  const { fetch, host } = await setup(t);
  const rows = await fetch(
    "fetch-courtlistener",
    ["--query", "widget", "--court", "scotus", "--date-from", "2020-01-01", "--date-to", "2020-12-31"],
    {
      COURTLISTENER_TOKEN: "c0urt",
    },
  );
  assert.deepEqual(rows[1]?.slice(0, 8), [
    "United States v. Acme",
    "Supreme Court of the United States",
    "scotus",
    "2020-06-01",
    "19-1",
    "Roe",
    "1 U.S. 1; 2 S. Ct. 2",
    "opinions",
  ]);
  assert.match(rows[1]?.[8] ?? "", /^the widget & its maker x+$/);
  assert.equal(rows[1]?.[8]?.length, 500);
  assert.equal(rows[1]?.[9], "https://www.courtlistener.com/opinion/1/united-states-v-acme/");
  assert.equal(rows.length, 3);
  assert.deepEqual(Object.fromEntries(host.requests[0]?.query ?? []), {
    q: "widget",
    type: "o",
    court: "scotus",
    filed_after: "2020-01-01",
    filed_before: "2020-12-31",
  });
  assert.equal(host.requests[1]?.headers.authorization, "Token c0urt");
});

test("dockets from CourtListener", async (t) => {
  const { fetch } = await setup(t);
  const rows = await fetch("fetch-courtlistener", ["--query", "widget", "--type", "recap", "--limit", "1"]);
  assert.deepEqual(rows[1], [
    "Acme v. Roe",
    "District Court, S.D. New York",
    "nysd",
    "2021-01-02",
    "1:21-cv-00001",
    "Jane Poe",
    "",
    "recap",
    "MOTION to dismiss",
    "https://www.courtlistener.com/docket/9/acme-v-roe/",
  ]);
});

test("archived copies from the Wayback Machine, each filter in a parameter of its own", async (t) => {
  const { fetch, host } = await setup(t);
  const rows = await fetch("fetch-wayback", [
    "--url",
    "example.com",
    "--match",
    "domain",
    "--from-date",
    "2020-01-31",
    "--status",
    "200",
    "--mime",
    "!image/png",
    "--collapse",
    "digest",
  ]);
  assert.deepEqual(rows[1], [
    "http://example.com:80/?a=1,2",
    "20020120142510",
    "https://web.archive.org/web/20020120142510/http://example.com:80/?a=1,2",
    "text/html",
    "200",
    "HT2DYGA5UKZCPBSFVCV3JOBXGW2G5UUA",
    "1792",
  ]);
  const [request] = host.requests;
  assert.deepEqual(request?.query.getAll("filter"), ["statuscode:200", "!mimetype:image/png"]);
  assert.deepEqual(
    ["matchType", "from", "collapse", "limit"].map((name) => request?.query.get(name)),
    ["domain", "20200131", "digest", "200"],
  );
});

test("articles of Wikipedia with the facts of Wikidata", async (t) => {
  const { fetch } = await setup(t);
  const rows = await fetch("fetch-wikipedia", ["--query", "example"]);
  assert.deepEqual(rows[1]?.slice(0, 13), [
    "wikipedia, wikidata",
    "Ada Example",
    "computer scientist",
    "Q101",
    "Ada Example",
    "https://en.wikipedia.org/wiki/Ada_Example",
    "https://www.wikidata.org/wiki/Q101",
    "human",
    "United States",
    "computer scientist",
    "",
    "1952-03",
    "New York City",
  ]);
  assert.equal(rows[1]?.[13]?.length, 1000);
  assert.deepEqual(rows[2]?.slice(0, 9), [
    "wikipedia, wikidata",
    "A. Example",
    "short description",
    "Q102",
    "A. Example",
    "https://en.wikipedia.org/wiki/A._Example",
    "https://www.wikidata.org/wiki/Q102",
    "",
    "United States; Q999",
  ]);
});

test("--no-wikidata asks Wikipedia only", async (t) => {
  const { fetch, host } = await setup(t);
  const rows = await fetch("fetch-wikipedia", ["--query", "example", "--no-wikidata"]);
  assert.deepEqual([rows[1]?.[0], rows[1]?.[3], rows[1]?.[7]], ["wikipedia", "Q101", ""]);
  assert.ok(host.requests.every(({ host: name }) => name === "en.wikipedia.org"));
});

test("news from GDELT; a title that looks like a formula stays as it is", async (t) => {
  const { fetch, host } = await setup(t);
  const rows = await fetch("fetch-gdelt", [
    "--query",
    '"acme corp"',
    "--source-country",
    "US",
    "--source-lang",
    "english",
    "--start",
    "2024-01-01",
    "--end",
    "2024-01-31",
  ]);
  assert.deepEqual(rows[1], [
    '=HYPERLINK("http://evil.example","Acme, \'now\'")',
    "https://news.example/a?x=1,2",
    "2024-01-31T15:45:00Z",
    "news.example",
    "English",
    "United States",
    "",
    "https://news.example/a.jpg",
  ]);
  assert.deepEqual(Object.fromEntries(host.requests[0]?.query ?? []), {
    query: '"acme corp" sourcecountry:US sourcelang:english',
    mode: "ArtList",
    format: "json",
    maxrecords: "100",
    startdatetime: "20240101000000",
    enddatetime: "20240131235959",
  });
});

/** A search of each service that finds nothing. */
const EMPTY: readonly (readonly [helper: string, ...args: string[]])[] = [
  ["fetch-sec-edgar", "--company", "nothing"],
  ["fetch-usaspending", "--recipient", "nothing"],
  ["fetch-senate-ld", "--client", "nothing"],
  ["fetch-ofac-sdn", "--program", "NONE"],
  ["fetch-icij-offshore", "--entity", "nothing"],
  ["fetch-nyc-acris", "--name", "nothing"],
  ["fetch-opencorporates", "--query", "nothing"],
  ["fetch-wayback", "--url", "nothing.example"],
  ["fetch-wayback", "--url", "empty.example"],
  ["fetch-wikipedia", "--query", "nothing"],
  ["fetch-gdelt", "--query", "nothing"],
];

test("a search without a match writes the header, says so, and succeeds", async (t) => {
  const { run, read, host } = await setup(t);
  for (const [helper, ...args] of EMPTY) {
    const ran = await run(`${helper}.mjs`, [...args, "--out", "new/dir/out.csv", "--base-url", host.url], SEC);
    assert.equal(ran.code, 0, `${helper}: ${ran.err}`);
    assert.match(ran.err, /no match; new\/dir\/out.csv has a header only/, helper);
    assert.match(await read("new/dir/out.csv"), /^[\w,]+\r\n$/, helper);
  }
});
