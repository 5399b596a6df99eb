import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { noBrowser } from "../../../fixtures/dashboard/browser.js";
import { isLive, type PageWorld, pageWorld } from "../../../fixtures/dashboard/page-world.js";
import { plainPng } from "../../../fixtures/sim/made-pictures.js";

const CASES: readonly { readonly name: string; readonly run: (world: PageWorld) => Promise<void> }[] = [
  {
    name: "a control that turns the direction of a title is shown as a mark, on the card and in its names for readers",
    run: marks,
  },
  {
    name: "filters stay in the address, over a reload, an open card and a copy in another window",
    run: filtersInAddress,
  },
  { name: "a message is shown as it was typed, and a new conversation is offered its directory", run: typed },
  { name: "pictures of results are shown, scaled and named; one whose file has gone says so", run: pictures },
  { name: "a setting of a list is changed by a list", run: lists },
  { name: "at 390 pixels every button of the toolbar is in sight, and ages stay within their cards", run: narrow },
];

test("the views in a browser", { skip: noBrowser() }, async (t) => {
  const world = await pageWorld(t);
  for (const { name, run } of CASES) await t.test(name, () => run(world));
});

async function marks(world: PageWorld): Promise<void> {
  const id = await world.make("Fix the \u202eeltit\u202c");
  const { page } = await world.open();
  const card = page.locator(`[data-card="${id}"]`);
  assert.equal(await card.locator(".card-title").textContent(), "Fix the ⟪U+202E⟫eltit⟪U+202C⟫");
  assert.equal(await card.getByRole("checkbox").getAttribute("aria-label"), "Select Fix the ⟪U+202E⟫eltit⟪U+202C⟫");
  await page.context().close();
}

async function filtersInAddress(world: PageWorld): Promise<void> {
  const id = await world.make("find me here");
  const { page } = await world.open();
  await page.getByRole("searchbox", { name: "Search tasks" }).fill("find me");
  await page.locator(`[data-card="${id}"] .card-title`).click();
  await page.locator(".drawer").waitFor();
  assert.match(page.url(), /#\/board\/t_[0-9a-f]+\?q=find\+me$/);
  await page.reload();
  await isLive(page);
  assert.equal(await page.getByRole("searchbox", { name: "Search tasks" }).inputValue(), "find me");
  const { page: other } = await world.open({}, page.url().slice(world.url.length));
  await other.locator(`[data-card="${id}"]`).waitFor();
  assert.equal(await other.locator(".card").count(), 1);
  await other.evaluate(() => {
    window.location.hash = "#/logs/agent?level=debug&q=owner";
  });
  assert.equal(await other.getByLabel("Level").inputValue(), "debug");
  await other.goBack();
  await isLive(other);
  assert.equal(await other.getByRole("searchbox", { name: "Search tasks" }).inputValue(), "find me");
  for (const one of [page, other]) await one.context().close();
}

const TYPED = 'say \\"hello\\" to ![pic](http://x.example/y.png)\n  and *stars*\n# not a heading';

async function typed(world: PageWorld): Promise<void> {
  await world.run(["-z", TYPED]);
  const { page } = await world.open({}, "#/sessions");
  await page.locator(".session-rows a").first().click();
  const message = page.locator(".message-user .md-plain");
  await message.waitFor();
  assert.equal(await message.textContent(), TYPED);
  await page.getByRole("button", { name: "New", exact: true }).click();
  assert.equal(await page.getByLabel("Directory").inputValue(), world.work);
  await page.context().close();
}

async function pictures(world: PageWorld): Promise<void> {
  await writeFile(join(world.work, "cat.png"), await plainPng({ width: 2_000, height: 1_000 }, "#cc3300"));
  await world.run(["-z", "read cat.png"]);
  const { page } = await world.open({}, "#/sessions");
  await page.locator(".session-rows a").first().click();
  const picture = page.getByRole("img", { name: "Picture cat.png of read_file" });
  await picture.waitFor();
  const natural = await picture.evaluate(async (element) => {
    const image = element as HTMLImageElement; // the role says so
    await image.decode();
    return [image.naturalWidth, image.naturalHeight];
  });
  assert.deepEqual(natural, [1_600, 800]);
  const box = await picture.boundingBox();
  assert.ok(box !== null && box.width <= 482 && Math.abs(box.width / box.height - 2) < 0.1, JSON.stringify(box));
  await page.getByText("cat.png, 2000×1000").waitFor();
  await rm(join(world.home.cache, "attached"), { recursive: true });
  await page.reload();
  await page.getByText("The picture cannot be shown.").waitFor();
  await page.context().close();
}

async function lists(world: PageWorld): Promise<void> {
  const { page } = await world.open();
  await page.evaluate(() => {
    window.location.hash = "#/settings?q=coding_context";
  });
  const list = page.getByRole("combobox", { name: "agent.coding_context" });
  await list.selectOption("focus");
  await page.getByText("agent.coding_context was saved.").waitFor();
  assert.match((await world.run(["config", "get", "agent.coding_context"])).out, /focus/);
  await page.getByRole("button", { name: "Reset to default" }).click();
  await page.getByText("agent.coding_context was reset to its default.").waitFor();
  assert.equal(await list.inputValue(), "auto");
  await page.context().close();
}

async function narrow(world: PageWorld): Promise<void> {
  await world.make("A title that takes two lines of a narrow card, for sure", {
    assignee: "a-rather-long-name-of-a-profile",
    tenant: "acme",
  });
  const { page } = await world.open({ viewport: { width: 390, height: 844 } });
  const ages = page.locator(".card .age");
  await ages.first().waitFor();
  const buttons = await page.locator(".toolbar button").all();
  assert.ok(buttons.length > 0);
  for (const button of buttons) await isInside(page, button, "main");
  for (const age of await ages.all()) assert.ok(await fits(age), "an age leaves its card");
  await page.context().close();
}

type Place = ReturnType<Page["locator"]>;

async function isInside(page: Page, place: Place, container: string): Promise<void> {
  const inner = await place.boundingBox();
  const outer = await page.locator(container).boundingBox();
  assert.ok(inner && outer, "it is not shown");
  assert.ok(
    inner.x >= outer.x && inner.x + inner.width <= outer.x + outer.width,
    (await place.getAttribute("aria-label")) ?? "a button",
  );
}

/** Looked at within the card, because a board may scroll sideways. */
const fits = (age: Place): Promise<boolean> =>
  age.evaluate((element) => {
    const card = element.closest(".card");
    const inner = element.getBoundingClientRect();
    const outer = card?.getBoundingClientRect();
    return outer !== undefined && inner.right <= outer.right && inner.height < 24;
  });
