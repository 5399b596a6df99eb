import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { describe, type TestContext, test } from "node:test";
import { skillBench } from "../../../fixtures/e2e/skill-helper.js";
import { startRecordsHost } from "../../../fixtures/servers/records/host.js";
import { ICIJ_FILES } from "../../../fixtures/servers/records/icij.js";
import { buildZip, type ZipMember } from "../../../fixtures/servers/records/zip.js";

async function setup(t: TestContext) {
  const host = await startRecordsHost(t);
  const bench = await skillBench(t, "research/public-records");
  const run = (helper: string, ...args: readonly string[]) =>
    bench.run(`${helper}.mjs`, [...args, "--out", "o.csv", "--base-url", host.url], {
      RECORDS_CACHE: bench.path("cache"),
    });
  const loadArchive = (archive: Buffer) => {
    host.next({ body: archive });
    return run("fetch-icij-offshore", "--entity", "acme", "--force-refresh");
  };
  return { ...bench, host, run, loadArchive };
}

const otherFiles = ICIJ_FILES.filter(({ name }) => name !== "nodes-entities.csv");
const withEntities = (entities: Partial<ZipMember>): Buffer =>
  buildZip([{ name: "nodes-entities.csv", body: "", ...entities }, ...otherFiles]);

describe("archives made to do harm", () => {
  const HARMFUL: readonly (readonly [what: string, archive: Buffer, message: RegExp])[] = [
    [
      "unpacks to three hundred times its size",
      withEntities({ body: Buffer.alloc(3_000_000) }),
      /would unpack to 3000000 bytes/,
    ],
    [
      "says it is huge",
      withEntities({ body: "node_id,name\n", size: 4_000_000_000 }),
      /would unpack to 4000000000 bytes/,
    ],
    [
      "is larger than it says",
      withEntities({ body: `node_id,name\n${"1,acme\n".repeat(900)}`, size: 100 }),
      /larger than the archive says/,
    ],
    [
      "has a file twice",
      buildZip([...ICIJ_FILES, { name: "x/nodes-entities.csv", body: "node_id,name\n" }]),
      /has 2 files nodes-entities\.csv/,
    ],
    ["lacks a file", buildZip(otherFiles), /has no file nodes-entities\.csv/],
    ["lacks a column", withEntities({ body: "id,title\n1,acme\n" }), /has no column node_id, name/],
    [
      "has a row without an end",
      withEntities({ body: `node_id,name\n1,"${randomText(5_000_000)}` }),
      /a row of the table has more than/,
    ],
    ["is a page", Buffer.from("<html>Log in</html>"), /is not a zip archive/],
    ["is empty", Buffer.alloc(0), /is not a zip archive/],
    ["is cut off", buildZip(ICIJ_FILES).subarray(0, 200), /is not a zip archive/],
  ];

  for (const [what, archive, message] of HARMFUL)
    test(`an archive that ${what} is refused`, async (t) => {
      const { loadArchive, path } = await setup(t);
      const ran = await loadArchive(archive);
      assert.equal(ran.code, 4, ran.err);
      assert.match(ran.err, message);
      assert.ok(!existsSync(path("o.csv")));
    });

  test("names of files in an archive never become paths", async (t) => {
    const { loadArchive, path, read } = await setup(t);
    const entities = ICIJ_FILES.map((file) => ({ ...file, name: `../../../${file.name}` }));
    const tricks = ["/etc/passwd", "..\\..\\evil.csv", "nodes-entities.csv/../../evil"].map((name) => ({
      name,
      body: "x",
    }));
    const ran = await loadArchive(buildZip([...tricks, ...entities]));
    assert.equal(ran.code, 0, ran.err);
    assert.match(await read("o.csv"), /ACME HOLDINGS/);
    assert.deepEqual(readdirSync(path(".")).toSorted(), ["cache", "o.csv"]);
    assert.deepEqual(readdirSync(path("cache")), ["icij-full-oldb.zip"]);
  });

  test("a damaged file in an archive is reported", async (t) => {
    const { loadArchive } = await setup(t);
    const archive = buildZip(ICIJ_FILES);
    archive.fill(0xff, 50, 90);
    const ran = await loadArchive(archive);
    assert.equal(ran.code, 4);
    assert.match(ran.err, /nodes-entities\.csv in the archive is damaged/);
  });

  test("a download that is cut leaves neither an archive nor a piece of one", async (t) => {
    const { run, host, path } = await setup(t);
    host.next("cut", { status: 400 });
    const ran = await run("fetch-icij-offshore", "--entity", "acme");
    assert.equal(ran.code, 4, ran.err);
    assert.deepEqual(readdirSync(path("cache")), []);
  });
});

/** Text that packing does not make much smaller. */
function randomText(length: number): string {
  let state = 1;
  const letters = Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return String.fromCharCode(97 + ((state >>> 16) % 26));
  });
  return letters.join("");
}

describe("answers made to do harm", () => {
  test("entries of other kinds than expected become empty cells", async (t) => {
    const strange = [null, 7, "text", [], { title: { deep: 1 }, url: ["x"], seendate: null, constructor: "c" }];
    const { run, host, read } = await setup(t);
    host.next({ body: JSON.stringify({ articles: strange }) });
    assert.equal((await run("fetch-gdelt", "--query", "a")).code, 0);
    assert.deepEqual((await read("o.csv")).split("\r\n").slice(1), [
      ",,,,,,,",
      ",,,,,,,",
      ",,,,,,,",
      ",,,,,,,",
      ",,,,,,,",
      "",
    ]);
  });

  test("results that are not objects do not end a run of any service", async (t) => {
    const results = [null, 7, "x", [null], { lobbying_activities: [null], opinions: null, citation: {}, NAICS: 5 }];
    const searches = [
      ["fetch-usaspending", "--recipient", "a"],
      ["fetch-senate-ld", "--client", "a"],
      ["fetch-courtlistener", "--query", "a"],
    ] as const;
    for (const [helper, ...args] of searches) {
      const { run, host } = await setup(t);
      host.next({ body: JSON.stringify({ results }) });
      const ran = await run(helper, ...args);
      assert.equal(ran.code, 0, `${helper}: ${ran.err}`);
      assert.match(ran.out, /Wrote 5 /);
    }
  });

  test("a next page that names itself does not go on for ever", async (t) => {
    const { run, host } = await setup(t);
    const url = `https://www.courtlistener.com/api/rest/v4/search/?q=a&type=o`;
    host.next({ body: JSON.stringify({ results: [{}], next: url }) });
    assert.equal((await run("fetch-courtlistener", "--query", "a")).code, 0);
    assert.equal(host.requests.length, 1);
  });

  test("a page of a million open tags is read in time", async (t) => {
    const { run, host } = await setup(t);
    host.next({ body: `${'<li class="company"><a href="/companies/'.repeat(100_000)}</a></li>` });
    const ran = await run("fetch-opencorporates", "--query", "a");
    assert.equal(ran.code, 4, ran.err);
  });

  test("control signs and markup of a record stay data in their cell", async (t) => {
    const { run, host, read } = await setup(t);
    const title = '=1+1\u001b[2J,"x"\r\n@SUM(A1)';
    host.next({ body: JSON.stringify({ articles: [{ title, url: "-2+3", domain: "+1" }] }) });
    assert.equal((await run("fetch-gdelt", "--query", "a")).code, 0);
    assert.equal(
      (await read("o.csv")).split("social_image\r\n")[1],
      '"=1+1\u001b[2J,""x""\r\n@SUM(A1)",-2+3,,+1,,,,\r\n',
    );
  });

  test("an id of a document that would change the next query is not sent", async (t) => {
    const { run, host } = await setup(t);
    host.next({ body: JSON.stringify([{ document_id: "1') OR 1=1 --", name: "x" }]) });
    assert.equal((await run("fetch-nyc-acris", "--name", "acme")).code, 0);
    assert.equal(host.requests.length, 1);
  });
});

describe("command lines of the fetchers", () => {
  const WRONG: readonly (readonly [message: RegExp, helper: string, ...args: string[]])[] = [
    [/--query is required/, "fetch-gdelt"],
    [/--limit must be at most 250/, "fetch-gdelt", "--query", "a", "--limit", "251"],
    [/--limit: 'x' is not an integer/, "fetch-gdelt", "--query", "a", "--limit", "x"],
    [
      /--timespan cannot be combined with --start or --end/,
      "fetch-gdelt",
      "--query",
      "a",
      "--timespan",
      "7d",
      "--end",
      "2024-01-01",
    ],
    [/--start: 'x' is not YYYY-MM-DD/, "fetch-gdelt", "--query", "a", "--start", "x"],
    [/--source-country: 'US OR x' is not one word/, "fetch-gdelt", "--query", "a", "--source-country", "US OR x"],
    [/Unknown option '--frob'/, "fetch-gdelt", "--frob"],
    [/--query is empty/, "fetch-gdelt", "--query", " "],
    [/--recipient or --agency is required/, "fetch-usaspending"],
    [/--client or --registrant is required/, "fetch-senate-ld"],
    [
      /--type: unknown value 'ship' \(known: individual, entity, vessel, aircraft\)/,
      "fetch-ofac-sdn",
      "--type",
      "ship",
    ],
    [/--entity or --officer or --jurisdiction is required/, "fetch-icij-offshore"],
    [/--name and --address cannot be combined/, "fetch-nyc-acris", "--name", "a", "--address", "b"],
    [/--cik or --company is required/, "fetch-sec-edgar"],
    [/--cik: '12x' is not a number/, "fetch-sec-edgar", "--cik", "12x"],
    [
      /--date-from: '2024-02-30' is not a date of the form YYYY-MM-DD/,
      "fetch-courtlistener",
      "--query",
      "a",
      "--date-from",
      "2024-02-30",
    ],
    [/--from-date: 'May' is not a date/, "fetch-wayback", "--url", "a", "--from-date", "May"],
  ];

  test("a wrong command line is refused with its reason before any request", async (t) => {
    const { run, host } = await setup(t);
    for (const [message, helper, ...args] of WRONG) {
      const ran = await run(helper, ...args);
      assert.equal(ran.code, 2, `${helper} ${args.join(" ")}: ${ran.err}`);
      assert.match(ran.err, message);
      assert.match(ran.err, new RegExp(`\\(see ${helper}\\.mjs --help\\)\\n$`));
    }
    assert.equal(host.requests.length, 0);
  });

  test("--out that cannot be written and --base-url that is not an address are refused", async (t) => {
    const { run, path } = await skillBench(t, "research/public-records");
    const host = await startRecordsHost(t);
    const missing = await run("fetch-gdelt.mjs", ["--query", "a", "--base-url", host.url]);
    assert.deepEqual([missing.code, missing.err.includes("--out is required")], [2, true]);
    const base = await run("fetch-gdelt.mjs", ["--query", "a", "--out", "o.csv", "--base-url", "ftp://x"]);
    assert.deepEqual([base.code, base.err.includes("'ftp://x' is not an http or https address")], [2, true]);
    const folder = await run("fetch-gdelt.mjs", ["--query", "a", "--out", path("."), "--base-url", host.url]);
    assert.deepEqual([folder.code, folder.err.includes("cannot write")], [1, true]);
  });

  test("every helper has a help text with its options and exit codes", async (t) => {
    const { run } = await skillBench(t, "research/public-records");
    const helpers = readdirSync("lib/skills/optional/research/public-records/scripts").filter((name) =>
      name.endsWith(".mjs"),
    );
    assert.equal(helpers.length, 15);
    for (const helper of helpers) {
      const ran = await run(helper, ["--help"]);
      assert.equal(ran.code, 0, helper);
      assert.match(ran.out, new RegExp(`^Usage: node ${helper}`));
      assert.match(ran.out, /Exit codes: 0 /);
      assert.equal(ran.err, "");
    }
  });
});
