import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { parseStrictly, recordsWorld as setup } from "../../../fixtures/e2e/records-world.js";
import { proves } from "../../../fixtures/requirements.js";

const SEC = { SEC_USER_AGENT: "Jo Doe jo@example.org" };

/** Recorded texts of the services. */
const QUOTA: readonly (readonly [text: string, helper: string, ...args: string[]])[] = [
  ["Too many requests from this address", "fetch-usaspending", "--agency", "Department of Defense"],
  ["Request was throttled. Expected available in 41 seconds.", "fetch-senate-ld", "--client", "acme"],
  ["Please limit requests to one every 5 seconds", "fetch-gdelt", "--query", "acme"],
  ["Too Many Requests. We are limiting the number of URLs", "fetch-wayback", "--url", "example.com"],
  ["Undeclared Automated Tool", "fetch-sec-edgar", "--cik", "12345"],
  ["rate limited", "fetch-ofac-sdn"],
  ["rate limited", "fetch-icij-offshore", "--entity", "acme"],
  ["throttled", "fetch-nyc-acris", "--name", "acme"],
  ["You have used all your requests", "fetch-opencorporates", "--query", "acme"],
  ["Rate limit exceeded", "fetch-courtlistener", "--query", "acme"],
  ["You are making too many requests", "fetch-wikipedia", "--query", "acme"],
];

test("a quota error is reported once, at once, and not repeated", async (t) => {
  proves(t, "skills.public-records.quota");
  for (const [text, helper, ...args] of QUOTA) {
    const { run, host, path } = await setup(t);
    host.next({ status: 429, headers: { "retry-after": "3600" }, body: `${text}\u001b[31m${"!".repeat(5000)}` });
    const ran = await run(`${helper}.mjs`, [...args, "--out", "o.csv", "--base-url", host.url], SEC);
    assert.equal(ran.code, 3, `${helper}: ${ran.err}`);
    assert.equal(host.requests.length, 1, helper);
    assert.equal(ran.out, "", helper);
    assert.match(ran.err, /quota of [\w.-]+ exceeded \(429\)\. .*Report this to the user once/);
    assert.equal(ran.err.split(text).length, 2, `${helper}: ${ran.err}`);
    assert.doesNotMatch(ran.err, /\u001b/);
    assert.ok(ran.err.length < 1000, ran.err);
    assert.ok(!existsSync(path("o.csv")) && !existsSync(path("o.csv.partial")), helper);
  }
});

test("headlines of GDELT with signs that JSON does not know are read", async (t) => {
  const { host, fetch } = await setup(t);
  host.next({
    body: '{"articles": [{"title": "Acme\\\'s \\"new\\" \t plant \\u00e9 C:\\\\x", "url": "https:\\/\\/a.example"}]}',
  });
  const [, row] = await fetch("fetch-gdelt", ["--query", "acme"]);
  assert.deepEqual(row?.slice(0, 2), ['Acme\'s "new"   plant é C:\\x', "https://a.example"]);
});

test("a service that fails twice is asked three times", async (t) => {
  const { run, host } = await setup(t);
  host.next(
    { status: 503, headers: { "retry-after": "0" } },
    { status: 503, headers: { "retry-after": "0" }, body: "busy" },
  );
  const ran = await run("fetch-gdelt.mjs", ["--query", "acme", "--out", "o.csv", "--base-url", host.url]);
  assert.equal(ran.code, 0, ran.err);
  assert.equal(host.requests.length, 3);
  assert.match(ran.err, /answered 503: busy; retry 2 of 3 in 0 s/);
});

test("without a Retry-After the pause is one and a half seconds", async (t) => {
  const { run, host } = await setup(t);
  host.next({ status: 500 });
  const ran = await run("fetch-gdelt.mjs", ["--query", "acme", "--out", "o.csv", "--base-url", host.url]);
  assert.match(ran.err, /answered 500; retry 1 of 3 in 1\.5 s/);
  assert.equal(ran.code, 0);
});

test("a service that goes on failing ends the run after three retries", async (t) => {
  const { run, host, path } = await setup(t);
  host.next(...[502, 504, 500, 503].map((status) => ({ status, headers: { "retry-after": "0" }, body: "sorry" })));
  const ran = await run("fetch-gdelt.mjs", ["--query", "acme", "--out", "o.csv", "--base-url", host.url]);
  assert.equal(ran.code, 4);
  assert.equal(host.requests.length, 4);
  assert.match(ran.err, /api\.gdeltproject\.org answered 503: sorry, after 3 retries\n$/);
  assert.ok(!existsSync(path("o.csv")));
});

test("a pause of more than five minutes is not waited for", async (t) => {
  const { run, host } = await setup(t);
  host.next({ status: 503, headers: { "retry-after": "301" } });
  const ran = await run("fetch-gdelt.mjs", ["--query", "acme", "--out", "o.csv", "--base-url", host.url]);
  assert.equal(ran.code, 4);
  assert.equal(host.requests.length, 1);
  assert.match(ran.err, /asks for a pause of 301 s/);
});

test("other refusals and broken answers end the run at once, with the words of the service", async (t) => {
  const replies = [
    [{ status: 403, body: "Forbidden: <b>no</b>\n" }, /answered 403: Forbidden/],
    [{ body: '{"articles": [' }, /did not answer with JSON: \{"articles": \[/],
    [{ body: "The specified phrase is too short." }, /did not answer with JSON: The specified phrase is too short\./],
    [{ body: "" }, /did not answer with JSON: \(empty\)/],
    [{ body: '{"items": []}' }, /has no list 'articles'; its format may have changed/],
    [{ body: "null" }, /has no list 'articles'/],
  ] as const;
  for (const [reply, message] of replies) {
    const { run, host, path } = await setup(t);
    host.next(reply);
    const ran = await run("fetch-gdelt.mjs", ["--query", "acme", "--out", "o.csv", "--base-url", host.url]);
    assert.equal(ran.code, 4);
    assert.match(ran.err, message);
    assert.equal(host.requests.length, 1);
    assert.ok(!existsSync(path("o.csv")));
  }
});

test("a connection that is cut behind the second page leaves the rows so far beside the output", async (t) => {
  const { run, host, path, read } = await setup(t);
  const args = ["--client", "acme", "--token", "t", "--out", "o.csv", "--base-url", host.url];
  host.next(undefined, undefined, { status: 503, headers: { "retry-after": "0" } }, "cut", {
    status: 400,
    body: "bad page",
  });
  const ran = await run("fetch-senate-ld.mjs", args);
  assert.equal(ran.code, 4, ran.err);
  assert.match(ran.err, /could not be read: .*retry 2 of 3/);
  assert.match(ran.err, /The 2 rows received before the failure are in o\.csv\.partial/);
  assert.equal(parseStrictly(await read("o.csv.partial")).length, 3);
  assert.ok(!existsSync(path("o.csv")));
  assert.equal((await run("fetch-senate-ld.mjs", args)).code, 0);
  assert.ok(existsSync(path("o.csv")) && !existsSync(path("o.csv.partial")));
});

test("a quota error behind the first page keeps its rows and the exit code of the quota", async (t) => {
  const { run, host, read } = await setup(t);
  host.next(undefined, { status: 429, body: "enough" });
  const ran = await run("fetch-usaspending.mjs", ["--recipient", "a", "--out", "o.csv", "--base-url", host.url]);
  assert.equal(ran.code, 3);
  assert.equal(host.requests.length, 2);
  assert.equal(parseStrictly(await read("o.csv.partial")).length, 3);
});

test("a file of an earlier run stays as it was when a run fails", async (t) => {
  const { run, host, read, fetch } = await setup(t);
  await fetch("fetch-gdelt", ["--query", "acme"]);
  const before = await read("out.csv");
  host.next({ status: 400 });
  await run("fetch-gdelt.mjs", ["--query", "acme", "--out", "out.csv", "--base-url", host.url]);
  assert.equal(await read("out.csv"), before);
});

test("a next page at another address is not followed with the token", async (t) => {
  const { run, host } = await setup(t);
  host.next({ body: JSON.stringify({ results: [], next: "https://evil.example/api/v1/filings/?page=2" }) });
  const ran = await run("fetch-senate-ld.mjs", [
    "--client",
    "acme",
    "--token",
    "t",
    "--out",
    "o.csv",
    "--base-url",
    host.url,
  ]);
  assert.equal(ran.code, 4);
  assert.match(ran.err, /next page at another address: https:\/\/evil\.example/);
  assert.equal(host.requests.length, 1);
});

test("a token is never printed", async (t) => {
  const { run, host } = await setup(t);
  host.next({ status: 403, body: "no" });
  const args = ["--query", "acme", "--out", "o.csv", "--base-url", host.url];
  const ran = await run("fetch-opencorporates.mjs", args, { OPENCORPORATES_API_TOKEN: "hush-hush" });
  assert.equal(ran.code, 4);
  assert.doesNotMatch(ran.err + ran.out, /hush/);
});
