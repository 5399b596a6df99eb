import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { describe, type TestContext, test } from "node:test";
import { skillBench } from "../../../fixtures/e2e/skill-helper.js";

async function setup(t: TestContext, files: Readonly<Record<string, string>>) {
  const bench = await skillBench(t, "research/public-records");
  for (const [name, text] of Object.entries(files)) await writeFile(bench.path(name), text);
  return bench;
}

describe("normalize", () => {
  const NAMES: readonly (readonly [name: string, normal: string])[] = [
    ["Acme Widgets, Inc.", "ACME WIDGETS"],
    ["The ACME-Widgets  Company (USA) LLC", "THE ACME WIDGETS"],
    ["Peña & Söhne Holdings", "PEÑA SÖHNE"],
    ["A_B 3M Tech", "A_B 3M"],
    ["Group Holdings International", ""],
    ["O'Neil", "O NEIL"],
  ];

  test("a name keeps the words that identify it", async (t) => {
    const { run } = await setup(t, {});
    const ran = await run(
      "normalize.mjs",
      NAMES.map(([name]) => name),
    );
    assert.deepEqual(
      ran.out.split("\n").slice(0, -1),
      NAMES.map(([, normal]) => normal),
    );
    assert.equal((await run("normalize.mjs", [])).code, 2);
  });
});

const LEFT =
  'id,vendor\r\n1,"Acme Widgets, Inc."\r\n2,Northern Star Logistics LLC\r\n3,Inc\r\n4,Blue Ocean Marine Salvage\r\n5,Acme Widgets Co\r\n';
const RIGHT = "name\nACME WIDGETS\nLogistics Northern Star\nHoldings\nOcean Marine Salvage Partners of Texas\nZenith\n";
const RESOLVE = [
  "--left",
  "l.csv",
  "--left-name-col",
  "vendor",
  "--right",
  "r.csv",
  "--right-name-col",
  "name",
  "--out",
  "links.csv",
];

describe("entity-resolution", () => {
  test("pairs of rows are written once, each with its best tier", async (t) => {
    const { run, read } = await setup(t, { "l.csv": LEFT, "r.csv": RIGHT });
    const ran = await run("entity-resolution.mjs", RESOLVE);
    assert.equal(ran.out, "Wrote 4 match rows to links.csv (2 exact, 1 fuzzy, 1 token_overlap)\n", ran.err);
    assert.deepEqual((await read("links.csv")).split("\r\n"), [
      "match_type,confidence,left_name,right_name,left_normalized,right_normalized,left_row,right_row,overlap_ratio,shared_tokens",
      'exact,high,"Acme Widgets, Inc.",ACME WIDGETS,ACME WIDGETS,ACME WIDGETS,0,0,1.000,ACME WIDGETS',
      "exact,high,Acme Widgets Co,ACME WIDGETS,ACME WIDGETS,ACME WIDGETS,4,0,1.000,ACME WIDGETS",
      "fuzzy,medium,Northern Star Logistics LLC,Logistics Northern Star,NORTHERN STAR LOGISTICS,LOGISTICS NORTHERN STAR,1,1,1.000,LOGISTICS NORTHERN STAR",
      "token_overlap,low,Blue Ocean Marine Salvage,Ocean Marine Salvage Partners of Texas,BLUE OCEAN MARINE SALVAGE,OCEAN MARINE SALVAGE OF TEXAS,3,3,0.600,MARINE OCEAN SALVAGE",
      "",
    ]);
  });

  test("the tier of common words obeys its options", async (t) => {
    const { run } = await setup(t, { "l.csv": LEFT, "r.csv": RIGHT });
    for (const options of [["--skip-overlap"], ["--overlap-threshold", "0.61"], ["--min-shared", "4"]])
      assert.match(
        (await run("entity-resolution.mjs", [...RESOLVE, ...options])).out,
        /0 token_overlap/,
        options.join(" "),
      );
  });

  test("a missing column is refused with those that exist", async (t) => {
    const { run, path } = await setup(t, { "l.csv": LEFT, "r.csv": "title,city\nx,y\n" });
    const ran = await run("entity-resolution.mjs", RESOLVE);
    assert.equal(ran.code, 1);
    assert.match(ran.err, /r\.csv has no column 'name' \(available: title, city\)/);
    assert.ok(!existsSync(path("links.csv")));
  });

  test("tables without rows have no matches; an empty file has no columns; a missing file is named", async (t) => {
    const { run, read, path } = await setup(t, { "l.csv": "vendor\n", "r.csv": RIGHT, "empty.csv": "" });
    assert.equal((await run("entity-resolution.mjs", RESOLVE)).code, 0);
    assert.equal((await read("links.csv")).split("\r\n").length, 2);
    const empty = await run("entity-resolution.mjs", ["--left", path("empty.csv"), ...RESOLVE.slice(2)]);
    assert.deepEqual([empty.code, empty.err.includes("the file is empty")], [1, true]);
    const missing = await run("entity-resolution.mjs", ["--left", "gone.csv", ...RESOLVE.slice(2)]);
    assert.deepEqual([missing.code, missing.err.includes("cannot read gone.csv")], [1, true]);
  });

  test("cells over several lines, doubled quotes and a byte order mark are read as they were written", async (t) => {
    const { run, read } = await setup(t, {
      "l.csv": '\ufeffvendor\r\n"Acme\r\n""Widgets"""\r\n',
      "r.csv": "name\nacme widgets",
    });
    await run("entity-resolution.mjs", RESOLVE);
    assert.match(await read("links.csv"), /exact,high,"Acme\r\n""Widgets""",acme widgets,/);
  });
});

/** Donations a day before each award, and a donor without a pattern. */
const DONATIONS = [
  "date,amount,donor,to",
  '2020-03-01,"$1,000.00",Acme Inc,Smith',
  "06/30/2020,500,Acme Inc,Smith",
  "2020/12/31,(200),Acme Inc,Smith",
  "20210601,10,Acme Inc,Roe",
  "01-15-2020,5,Zenith LLC,Smith",
  "2020-08-20,5,Zenith LLC,Smith",
  "2021-05-05,5,Zenith LLC,Smith",
  "someday,5,Zenith LLC,Smith",
].join("\n");
const CONTRACTS = [
  "awarded,vendor",
  "2020-03-02,ACME CORPORATION",
  "2020-07-01,Acme",
  "2021-01-01,Acme",
  "2018-01-01,Zenith Group",
  "2022-12-31,Other",
].join("\n");
const TIMING = [
  ..."--donations d.csv --donation-date-col date --donation-amount-col amount --donation-donor-col donor".split(" "),
  ..."--donation-recipient-col to --contracts c.csv --contract-date-col awarded --contract-vendor-col vendor".split(
    " ",
  ),
];

describe("timing-analysis", () => {
  test("a pattern is found, and chance is not", async (t) => {
    const { run, read } = await setup(t, { "d.csv": DONATIONS, "c.csv": CONTRACTS });
    const ran = await run("timing-analysis.mjs", [...TIMING, "--seed", "7"]);
    assert.equal(ran.out, "Wrote 2 result rows to timing.json (1 significant)\n", ran.err);
    assert.match(ran.err, /1 donations without a donor or a valid date left out/);
    const { metadata, results } = JSON.parse(await read("timing.json"));
    assert.deepEqual(metadata, {
      n_permutations: 1000,
      min_donations: 3,
      p_threshold: 0.05,
      seed: 7,
      n_pairs_tested: 2,
      n_pairs_skipped: 1,
      n_significant: 1,
      observation_window: { start: "2018-01-01", end: "2022-12-31" },
    });
    const [acme, zenith] = results;
    assert.deepEqual(Object.keys(acme), [
      "donor",
      "recipient",
      "n_donations",
      "n_award_dates",
      "observed_mean_days",
      "null_mean_days",
      "p_value",
      "effect_size_sd",
      "significant",
      "total_donation_amount",
    ]);
    assert.deepEqual(
      [
        acme.donor,
        acme.recipient,
        acme.n_donations,
        acme.n_award_dates,
        acme.observed_mean_days,
        acme.significant,
        acme.total_donation_amount,
      ],
      ["Acme Inc", "Smith", 3, 3, 1, true, 1300],
    );
    assert.ok(acme.p_value < 0.01 && acme.effect_size_sd > 1 && acme.null_mean_days > 100);
    assert.deepEqual([zenith.donor, zenith.significant], ["Zenith LLC", false]);
    assert.ok(zenith.p_value > 0.05);
  });

  test("equal seed and input give equal bytes; another seed other draws", async (t) => {
    const { run, read } = await setup(t, { "d.csv": DONATIONS, "c.csv": CONTRACTS });
    for (const [name, seed] of [
      ["a", "7"],
      ["b", "7"],
      ["c", "8"],
    ] as const)
      await run("timing-analysis.mjs", [...TIMING, "--seed", seed, "--out", `${name}.json`, "--permutations", "200"]);
    assert.equal(await read("a.json"), await read("b.json"));
    assert.notEqual(await read("a.json"), await read("c.json"));
  });

  test("without a seed the one that was chosen is written down", async (t) => {
    const { run, read } = await setup(t, { "d.csv": DONATIONS, "c.csv": CONTRACTS });
    await run("timing-analysis.mjs", [...TIMING, "--permutations", "50"]);
    const first = await read("timing.json");
    const { seed } = JSON.parse(first).metadata;
    await run("timing-analysis.mjs", [...TIMING, "--permutations", "50", "--seed", String(seed)]);
    assert.equal(await read("timing.json"), first);
  });

  test("links lead from a donor to a firm of another name", async (t) => {
    const { run, read } = await setup(t, {
      "d.csv": "date,amount,donor,to\n2020-01-01,1,Jo Doe,Smith\n",
      "c.csv": "awarded,vendor\n2020-01-11,Acme\n",
      "links.csv": "left_normalized,right_normalized\nACME,JO DOE\n",
    });
    const options = ["--min-donations", "1", "--permutations", "10", "--seed", "1"];
    await run("timing-analysis.mjs", [...TIMING, ...options]);
    assert.equal(JSON.parse(await read("timing.json")).metadata.n_pairs_tested, 0);
    await run("timing-analysis.mjs", [...TIMING, ...options, "--cross-links", "links.csv"]);
    assert.equal(JSON.parse(await read("timing.json")).results[0].observed_mean_days, 10);
  });

  test("tables without rows have no results; a missing column is refused", async (t) => {
    const { run, read } = await setup(t, { "d.csv": "date,amount,donor,to\n", "c.csv": "awarded,vendor\n" });
    assert.equal((await run("timing-analysis.mjs", TIMING)).code, 0);
    const { metadata, results } = JSON.parse(await read("timing.json"));
    assert.deepEqual([metadata.observation_window, results], [null, []]);
    const ran = await run(
      "timing-analysis.mjs",
      TIMING.map((word) => (word === "awarded" ? "when" : word)),
    );
    assert.equal(ran.code, 1);
    assert.match(ran.err, /c\.csv has no column 'when' \(available: awarded, vendor\)/);
  });
});

describe("build-findings", () => {
  const LINKS = [
    "match_type,confidence,left_name,right_name",
    "token_overlap,low,Acme North,Acme",
    "exact,high,Acme Inc,Acme",
    "token_overlap,low,Acme South,Acme",
    "exact,high,Acme Inc,Acme",
    "fuzzy,medium,Star North,North Star",
  ].join("\n");
  const result = (donor: string, p: number, significant: boolean) => ({
    donor,
    recipient: "Smith",
    n_donations: 3,
    observed_mean_days: 1,
    null_mean_days: 100,
    p_value: p,
    significant,
  });

  test("findings are ordered by weight, each with its rows", async (t) => {
    const timing = JSON.stringify({
      results: [result("Acme", 0.001, true), result("Zenith", 0.04, true), result("Other", 0.4, false)],
    });
    const { run, read } = await setup(t, { "links.csv": LINKS, "timing.json": timing });
    const ran = await run("build-findings.mjs", ["--cross-links", "links.csv", "--timing", "timing.json"]);
    assert.equal(ran.out, "Wrote 7 findings to findings.json\n", ran.err);
    const { findings } = JSON.parse(await read("findings.json"));
    assert.deepEqual(
      findings.map((finding: Record<string, unknown>) => [
        finding["id"],
        finding["severity"],
        finding["confidence"],
        finding["title"],
      ]),
      [
        ["F0001", "HIGH", "medium", "3 names lead to Acme"],
        ["F0002", "HIGH", "medium", "Donations of Acme to Smith lie close to contract awards"],
        ["F0003", "MEDIUM", "high", "Acme Inc matches Acme"],
        ["F0004", "MEDIUM", "low", "Donations of Zenith to Smith lie close to contract awards"],
        ["F0005", "LOW", "medium", "Star North matches North Star"],
        ["F0006", "LOW", "low", "Acme North matches Acme"],
        ["F0007", "LOW", "low", "Acme South matches Acme"],
      ],
    );
    assert.deepEqual(Object.keys(findings[0]), [
      "id",
      "title",
      "severity",
      "confidence",
      "summary",
      "evidence",
      "sources",
    ]);
    assert.deepEqual(
      findings[2].evidence.map(({ source, row }: { source: string; row: number }) => [source, row]),
      [
        ["links.csv", 1],
        ["links.csv", 3],
      ],
    );
    assert.deepEqual(findings[4].evidence[0].fields, {
      match_type: "fuzzy",
      confidence: "medium",
      left_name: "Star North",
      right_name: "North Star",
    });
    assert.deepEqual(findings[1].sources, ["timing.json"]);
  });

  test("the threshold of names is an option", async (t) => {
    const { run, read } = await setup(t, { "links.csv": LINKS });
    await run("build-findings.mjs", ["--cross-links", "links.csv", "--bundled-threshold", "4"]);
    assert.doesNotMatch(await read("findings.json"), /names lead to/);
  });

  test("without links there are no findings; other files are refused", async (t) => {
    const { run, read } = await setup(t, { "links.csv": `${LINKS.split("\n")[0]}\n`, "t.json": "{}" });
    assert.equal((await run("build-findings.mjs", ["--cross-links", "links.csv"])).code, 0);
    assert.deepEqual(JSON.parse(await read("findings.json")), { findings: [] });
    const ran = await run("build-findings.mjs", ["--cross-links", "links.csv", "--timing", "t.json"]);
    assert.deepEqual([ran.code, ran.err.includes("t.json is not the output of timing-analysis")], [1, true]);
  });
});
