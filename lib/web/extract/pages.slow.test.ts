import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { WEB_CASES, type WebCase } from "../../../fixtures/pages/web/pages.js";
import { pageSite } from "../../../fixtures/pages/web/site.js";
import { systemClock } from "../../base/time/clock.js";
import type { AuxClient } from "../../contracts/models/auxiliary.js";
import type { WebPage } from "../../contracts/web/web.js";
import { createPages } from "./pages.js";

const noModel: AuxClient = { state: async () => "none", ask: async () => ({ ok: false, why: "none" }) };

/** Five at a time, as the tool reads them. */
const BATCH = 5;

async function readAll(t: TestContext, cases: readonly WebCase[]) {
  const site = await pageSite(t, Object.fromEntries(WEB_CASES.map(({ path, answer }) => [path, answer])));
  const pages = createPages({ net: site.net, clock: systemClock, aux: noModel });
  const read: WebPage[] = [];
  for (let at = 0; at < cases.length; at += BATCH) {
    const urls = cases.slice(at, at + BATCH).map(({ path }) => `http://a.test${path}`);
    read.push(...(await pages.extract(urls, { signal: t.signal })));
  }
  return { site, read };
}

function verify(wanted: WebCase, page: WebPage | undefined): void {
  assert.ok(page);
  const shown = JSON.stringify(page).slice(0, 3_000);
  assert.equal(page.url, `http://a.test${wanted.path}`);
  if (wanted.error === undefined) assert.equal(page.error, undefined, shown);
  else assert.match(page.error ?? "", wanted.error, shown);
  assert.ok(page.content.length <= 5_000, `${page.content.length} characters`);
  assert.ok(page.content.isWellFormed(), shown);
  const text = page.whole ?? page.content;
  for (const part of wanted.text ?? [])
    assert.ok(typeof part === "string" ? text.includes(part) : part.test(text), `${String(part)} in ${shown}`);
  for (const part of wanted.not ?? []) assert.ok(!text.includes(part), `not ${part} in ${shown}`);
  if (wanted.title !== undefined) assert.equal(page.title, wanted.title);
}

for (const slow of [false, true])
  test(`recorded pages ${slow ? "that are large" : "of all kinds"} are readable or say why not, and nothing private is reached`, async (t) => {
    const cases = WEB_CASES.filter((one) => (one.slow ?? false) === slow);
    const { site, read } = await readAll(t, cases);
    for (const [index, one] of cases.entries())
      await t.test(`${one.what} (${one.path})`, () => verify(one, read[index]));
    assert.deepEqual(site.privately, []);
    assert.deepEqual(
      site.seen.filter((line) => !line.startsWith("a.test/")),
      [],
    );
  });

test("there are at least sixty recorded pages", () => {
  assert.ok(WEB_CASES.length >= 60, String(WEB_CASES.length));
  assert.equal(new Set(WEB_CASES.map(({ path }) => path)).size, WEB_CASES.length);
});
