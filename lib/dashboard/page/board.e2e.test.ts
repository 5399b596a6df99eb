import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { CDPSession, Locator, Page } from "playwright-core";
import { axeFaults } from "../../../fixtures/dashboard/axe.js";
import { noBrowser } from "../../../fixtures/dashboard/browser.js";
import { cardIn, dragTo, isLive, type PageWorld, pageWorld, TOKEN } from "../../../fixtures/dashboard/page-world.js";
import { proves } from "../../../fixtures/requirements.js";

const CASES: readonly { readonly name: string; readonly run: (world: PageWorld, t: TestContext) => Promise<void> }[] = [
  { name: "the printed link signs in once, and leaves the address; a second use is told", run: linkSignsIn },
  { name: "a wrong token is refused with words, the right one shows the board", run: tokenSignsIn },
  {
    name: "a task is made in its column, dragged to another with a reason, and dragged into the trash",
    run: makeAndDrag,
  },
  {
    name: "an empty column is narrow, and has its name, the focus and what is dropped on it all the same",
    run: narrow,
  },
  { name: "why a task does not move stands in its drawer with a button that helps", run: why },
  { name: "several cards move together, and those that cannot are named", run: several },
  { name: "a title is edited and a comment written in the drawer", run: editAndComment },
  { name: "what happens in one window is seen in the other", run: twoWindows },
  { name: "everything is reached by keys alone", run: keysAlone },
  {
    name: "the pill toggles automatic decomposition, the panel folds, and triage cards have their buttons",
    run: orchestration,
  },
  { name: "who is being worked on is stopped only after a question", run: stopAsks },
  { name: "a board is made from a name, paused with a banner, and archived", run: boards },
  { name: "a finger that rests on a card drags it; one that moves scrolls", run: touch },
  { name: "axe finds no serious fault, in light, dark and on a phone", run: accessible },
];

test("the board in a browser", { skip: noBrowser() }, async (t) => {
  const world = await pageWorld(t);
  for (const { name, run } of CASES) await t.test(name, (inner) => run(world, inner));
});

async function linkSignsIn(world: PageWorld): Promise<void> {
  const { page, errors } = await world.browser.window();
  await page.goto(world.entryUrl);
  await isLive(page);
  assert.ok(!page.url().includes("code="), page.url());
  await page.reload();
  await isLive(page);
  const { page: other } = await world.browser.window();
  await other.goto(world.entryUrl);
  assert.match((await other.getByRole("alert").textContent()) ?? "", /already been used/);
  assert.deepEqual(errors, []);
  for (const one of [page, other]) await one.context().close();
}

async function tokenSignsIn(world: PageWorld): Promise<void> {
  const { page } = await world.browser.window();
  await page.goto(world.url);
  await page.getByLabel("Session token").fill("x".repeat(40));
  await page.keyboard.press("Enter");
  assert.match((await page.getByRole("alert").textContent()) ?? "", /not the token/);
  await page.getByLabel("Session token").fill(TOKEN);
  await page.keyboard.press("Enter");
  await isLive(page);
  await page.context().close();
}

async function makeAndDrag(world: PageWorld): Promise<void> {
  const { page, errors } = await world.open();
  await page.getByRole("button", { name: "New task in Ready" }).click();
  await page.getByLabel("Title", { exact: true }).fill("made here");
  // No one by this name works: a dispatcher takes no card away before it is dragged.
  await page.getByLabel("Assignee", { exact: true }).last().fill("somebody");
  await page.keyboard.press("Enter");
  await cardIn(page, "ready", "made here").waitFor();
  await page.keyboard.press("Escape");
  await dragTo(page, "made here", "blocked");
  await page.getByLabel("Reason").fill("because");
  await page.getByRole("button", { name: "Move to Blocked" }).click();
  await cardIn(page, "blocked", "because").waitFor();
  const id = (await cardIn(page, "blocked", "made here").getAttribute("data-card")) ?? "";
  const { task } = await world.ask<{ task: { status: string; block_reason: string } }>("GET", `/tasks/${id}`);
  assert.deepEqual([task.status, task.block_reason], ["blocked", "because"]);
  await dragTo(page, "made here", "trash");
  await page.getByRole("button", { name: "Delete", exact: true }).last().click();
  await cardIn(page, "blocked", "made here").waitFor({ state: "detached" });
  assert.deepEqual(errors, []);
  await page.context().close();
}

async function narrow(world: PageWorld): Promise<void> {
  await world.make("for later");
  const { page, errors } = await world.open();
  await page.locator(".column-narrow[data-drop='scheduled']").waitFor();
  const column = page.getByRole("region", { name: "Scheduled" });
  await column.focus();
  assert.equal(await page.locator(":focus").getAttribute("data-drop"), "scheduled");
  assert.ok(
    await page.locator(".columns").evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth),
    "the board is seen whole",
  );
  await dragTo(page, "for later", "scheduled");
  await page.getByRole("button", { name: "Move to Scheduled" }).click();
  await cardIn(page, "scheduled", "for later").waitFor();
  assert.equal(await page.locator(".column-narrow[data-drop='scheduled']").count(), 0);
  assert.deepEqual(errors, []);
  await page.context().close();
}

async function why(world: PageWorld): Promise<void> {
  const id = await world.make("waits for a key");
  await world.ask("PATCH", `/tasks/${id}`, { status: "blocked", block_reason: "no key" });
  const { page, errors } = await world.open({}, `#/board/${id}`);
  await page
    .getByRole("region", { name: "Why it is not progressing" })
    .getByRole("button", { name: "Unblock" })
    .click();
  await cardIn(page, "ready", "waits for a key").waitFor();
  assert.deepEqual(errors, []);
  await page.context().close();
}

async function several(world: PageWorld): Promise<void> {
  const ids = await Promise.all(["several a", "several b"].map((title) => world.make(title)));
  await world.make("several c", { triage: true });
  const { page } = await world.open({ viewport: { width: 1900, height: 900 } });
  await page.locator(".card", { hasText: "several a" }).hover();
  await page.getByLabel("Select several a").check();
  await page.locator(".card", { hasText: "several b" }).click({ modifiers: ["Shift"], position: { x: 40, y: 34 } });
  await page.locator(".card", { hasText: "several c" }).click({ modifiers: ["Control"], position: { x: 40, y: 34 } });
  await page.getByText("3 selected").waitFor();
  await dragTo(page, "several a", "done");
  await page.getByLabel("Summary").fill("all at once");
  await page.getByRole("button", { name: "Complete" }).click();
  for (const title of ["several a", "several b"]) await cardIn(page, "done", title).waitFor();
  assert.match((await page.getByText("Tasks cannot move from Triage to Done.").textContent()) ?? "", /Triage/);
  const { task } = await world.ask<{ task: { latest_summary: string } }>("GET", `/tasks/${ids[1]}`);
  assert.equal(task.latest_summary, "all at once");
  await page.context().close();
}

async function editAndComment(world: PageWorld): Promise<void> {
  const id = await world.make("before");
  const { page, errors } = await world.open();
  await page.getByRole("link", { name: "before" }).click();
  await page.getByRole("button", { name: "Edit title" }).click();
  await page.getByRole("textbox", { name: "Title" }).fill("after");
  await page.keyboard.press("Enter");
  await cardIn(page, "ready", "after").waitFor();
  await page.getByRole("textbox", { name: /comment/i }).fill("seen in a **browser**");
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await page.locator(".drawer strong", { hasText: "browser" }).waitFor();
  const { comments } = await world.ask<{ comments: readonly { text: string }[] }>("GET", `/tasks/${id}`);
  assert.deepEqual(
    comments.map(({ text }) => text),
    ["seen in a **browser**"],
  );
  assert.deepEqual(errors, []);
  await page.context().close();
}

async function twoWindows(world: PageWorld): Promise<void> {
  await world.make("travels");
  const { page: one } = await world.open();
  const { page: other } = await world.open();
  for (const column of ["triage", "ready", "triage"] as const) {
    await one.locator(".card", { hasText: "travels" }).hover();
    await one.getByRole("button", { name: "Actions for travels" }).click();
    await one.locator(".menu-grid button", { hasText: new RegExp(column, "i") }).click();
    await cardIn(other, column, "travels").waitFor();
  }
  for (const page of [one, other]) await page.context().close();
}

async function keysAlone(world: PageWorld): Promise<void> {
  await world.make("for the keys", { priority: 9 });
  const { page, errors } = await world.open();
  const focused = page.locator(".card-title:focus", { hasText: "for the keys" });
  await page.locator(".card", { hasText: "for the keys" }).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("for the keys");
  await cardIn(page, "triage", "").first().waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await focused.waitFor();
  await page.keyboard.press("m");
  await page.getByRole("dialog").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Escape");
  await focused.waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".drawer").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".drawer").waitFor({ state: "detached" });
  await page.keyboard.press("c");
  await page.keyboard.type("typed only");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.keyboard.press("/");
  await page.keyboard.press("Escape");
  await cardIn(page, "ready", "typed only").waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keys" }).waitFor();
  await page.keyboard.press("Escape");
  assert.deepEqual(errors, []);
  await page.context().close();
}

async function orchestration(world: PageWorld, t: TestContext): Promise<void> {
  proves(t, "dashboard.panel");
  await world.make("rough idea", { triage: true });
  const { page, errors } = await world.open();
  const card = cardIn(page, "triage", "rough idea");
  for (const name of ["Specify", "Decompose"]) await card.getByRole("button", { name: new RegExp(name) }).waitFor();
  await page.getByRole("button", { name: "Orchestration: Auto" }).click();
  await page.getByRole("button", { name: "Orchestration: Manual" }).waitFor();
  assert.equal((await world.ask<{ auto_decompose: boolean }>("GET", "/orchestration")).auto_decompose, false);
  await page.getByRole("button", { name: "Orchestration: Manual" }).click();
  await page.getByRole("button", { name: "Orchestration: Auto" }).waitFor();
  // Another window does it.
  await world.ask("PUT", "/orchestration", { auto_decompose: false });
  await page.getByRole("button", { name: "Orchestration: Manual" }).waitFor();
  await world.ask("PUT", "/orchestration", { auto_decompose: true });
  await page.getByRole("button", { name: "Orchestration: Auto" }).waitFor();
  const fold = page.getByRole("button", { name: "Routing" });
  await fold.click();
  await page.getByLabel(/Orchestrator/).waitFor();
  await fold.click();
  await page.getByLabel(/Orchestrator/).waitFor({ state: "detached" });
  assert.deepEqual(errors, []);
  await page.context().close();
}

async function stopAsks(world: PageWorld): Promise<void> {
  const id = await world.make("at work");
  await world.json("kanban", "claim", id);
  const { page } = await world.open();
  await cardIn(page, "running", "at work").hover();
  await page.getByRole("button", { name: "Actions for at work" }).click();
  await page.getByRole("button", { name: "Todo", exact: true }).click();
  await page.getByText("Its running worker will be stopped first.").waitFor();
  await page.keyboard.press("Escape");
  assert.equal((await world.ask<{ task: { status: string } }>("GET", `/tasks/${id}`)).task.status, "running");
  await page.getByRole("button", { name: "Actions for at work" }).click();
  await page.getByRole("button", { name: "Todo", exact: true }).click();
  await page.getByRole("button", { name: "Move to Todo" }).click();
  await cardIn(page, "todo", "at work").waitFor();
  await page.context().close();
}

async function boards(world: PageWorld): Promise<void> {
  const { page, errors } = await world.open();
  await page.getByRole("button", { name: "New board" }).click();
  await page.getByLabel("Name").fill("Späte Züge!");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const shown = page.getByRole("combobox", { name: "Board", exact: true }).locator("option:checked");
  await shown.and(page.locator("[value='spate-zuge']")).waitFor({ state: "attached" }); // the board before is live too
  await isLive(page);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByLabel("Reason").fill("tea");
  await page.getByRole("button", { name: "Pause" }).last().click();
  await page.getByText("This board is paused").waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Resume" }).last().click();
  await page.getByText("This board is paused").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Archive this board" }).click();
  await page.getByRole("button", { name: "Archive", exact: true }).click();
  await shown.and(page.locator("[value='default']")).waitFor({ state: "attached" });
  const { boards: left, current } = await world.ask<{ boards: readonly { slug: string }[]; current: string }>(
    "GET",
    "/boards",
  );
  assert.deepEqual([left.map(({ slug }) => slug), current], [["default"], "default"]);
  assert.deepEqual(errors, []);
  await page.context().close();
}

async function touch(world: PageWorld): Promise<void> {
  await world.make("under a finger", { priority: 20 });
  const { page } = await world.open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const card = page.locator(".card", { hasText: "under a finger" });
  await card.scrollIntoViewIfNeeded();
  const client = await page.context().newCDPSession(page);
  const at = (x: number, y: number) => [{ x, y }];
  const { x, y } = await fingerOn(page, card, client);
  await page.locator(".ghost").waitFor();
  const trash = await page.locator("[data-drop='archived'].drop-zone").boundingBox();
  assert.ok(trash);
  for (const part of [0.3, 0.6, 1]) {
    const dx = trash.x + 30 - x;
    const dy = trash.y + 20 - y;
    await client.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: at(x + dx * part, y + dy * part) });
  }
  await client.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await card.waitFor({ state: "detached" });
  await page.context().close();
}

/** Put a finger on a card, and put it down again where what stands above has pushed the card away meanwhile; where it rests. */
async function fingerOn(page: Page, card: Locator, client: CDPSession): Promise<{ x: number; y: number }> {
  for (;;) {
    const box = await card.boundingBox();
    assert.ok(box);
    const point = { x: box.x + 60, y: box.y + 30 };
    await client.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [point] });
    const id = await page.evaluate(
      ({ x, y }) => document.elementFromPoint(x, y)?.closest("[data-card]")?.getAttribute("data-card"),
      point,
    );
    if (id === (await card.getAttribute("data-card"))) return point;
    await client.send("Input.dispatchTouchEvent", { type: "touchCancel", touchPoints: [] });
  }
}

const LOOKS = [
  { name: "light", options: {} },
  { name: "dark", options: { colorScheme: "dark" } },
  { name: "phone", options: { viewport: { width: 390, height: 844 } } },
] as const;

async function accessible(world: PageWorld, t: TestContext): Promise<void> {
  const id = await world.make("looked at closely", { assignee: "somebody", priority: 3, tenant: "acme" });
  await world.ask("PATCH", `/tasks/${id}`, { status: "blocked", block_reason: "waits" });
  for (const { name, options } of LOOKS)
    await t.test(name, async () => {
      const { page } = await world.open(options);
      const beside = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      assert.equal(beside, 0, "the page does not move sideways");
      assert.deepEqual(await axeFaults(page), []);
      await page.evaluate((hash) => {
        location.hash = hash;
      }, `#/board/${id}`);
      await page.locator(".drawer .moves").first().waitFor();
      assert.deepEqual(await axeFaults(page), [], "with the drawer");
      await page.context().close();
    });
}
