import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { axeFaults } from "../../../fixtures/dashboard/axe.js";
import { noBrowser } from "../../../fixtures/dashboard/browser.js";
import { cardIn, type PageWorld, pageWorld } from "../../../fixtures/dashboard/page-world.js";
import { startModelServer } from "../../../fixtures/servers/model/server.js";
import type { Task } from "../../contracts/board/board.js";

const SPECIFIED = { text: JSON.stringify({ title: "Mend the roof", body: "## Goal\nA **dry** attic." }) };
const GRAPH = {
  text: JSON.stringify({
    fanout: true,
    rationale: "two hands",
    tasks: [
      { title: "carry tiles", body: "up", assignee: null, parents: [] },
      { title: "lay tiles", body: "down", assignee: null, parents: [0] },
    ],
  }),
};

const COMMAND = "rm -rf ./build && echo 'gone  away'";
/** The models of conversations and of workers. */
const MODEL = {
  scripts: {
    chat: {
      pick: "history",
      replies: [
        { text: "I shall tidy up.", tool_calls: [{ name: "terminal", arguments: { command: COMMAND } }] },
        { text: "It is **tidy** now." },
      ],
    },
    worker: {
      pick: "history",
      replies: [
        { text: "I begin.", tool_calls: [{ name: "kanban_heartbeat", arguments: { note: "at work" } }] },
        { hold: "go", tool_calls: [{ name: "kanban_complete", arguments: { summary: "All **tiles** lie." } }] },
        { text: "That was it." },
      ],
    },
  },
} as const;

const CASES: readonly { readonly name: string; readonly run: (world: PageWorld) => Promise<void> }[] = [
  { name: "Specify rewrites a rough idea while the page says so; a failure is told with its reason", run: specify },
  { name: "Decompose makes a graph, and the drawer draws it; its boxes are reached by arrow keys", run: decompose },
  {
    name: "a title that two windows change is saved by the one, and the other chooses between both versions",
    run: conflict,
  },
  { name: "a file is attached, downloaded as it was, and removed", run: attachment },
  {
    name: "a wide window shows a task beside the columns and below the toolbar, a narrow one instead of them",
    run: besideColumns,
  },
  {
    name: "a dependency is found by its words and made by keys alone; the task waits at once in both lists",
    run: dependency,
  },
  {
    name: "fields and comments are written by keys alone; what was begun is there when the card is opened again",
    run: byKeys,
  },
  { name: "a worker's conversation and log are read while it works, and its run tells how it ended", run: work },
  {
    name: "a conversation is begun, its approval shows the command byte for byte, and the answer is read as it comes",
    run: chat,
  },
  { name: "a setting is found, changed, refused when it cannot be so, and put back to its default", run: setting },
  { name: "hostile text in body, comment and result runs nothing and loads nothing", run: hostile },
  { name: "axe finds no serious fault in the whole drawer, the panel, the strip and the other views", run: accessible },
];

test("the drawer and the other views in a browser", { skip: noBrowser() }, async (t) => {
  const empty = Array.from({ length: 5 }, () => ({ text: "" }));
  const scripts = { specify: { replies: [SPECIFIED, ...empty] }, decompose: { replies: [GRAPH] } };
  const model = await startModelServer({ scripts, auxiliary: false });
  t.after(() => model.close());
  const slot = (name: string, script: string) =>
    `  ${name}: { provider: custom, base_url: "${model.url}", model: "script:${script}" }\n`;
  const slots = [slot("triage_specifier", "specify"), slot("kanban_decomposer", "decompose")];
  const world = await pageWorld(t, {
    model: MODEL,
    name: "script:chat",
    config: `auxiliary:\n${slots.join("")}approvals:\n  caged: ask\nkanban:\n  auto_decompose: false\n`,
  });
  for (const { name, run } of CASES) await t.test(name, () => run(world));
});

const open = (world: PageWorld, id: string) => world.open({}, `#/board/${id}`);
const taskOf = async (world: PageWorld, id: string): Promise<Task> =>
  (await world.ask<{ task: Task }>("GET", `/tasks/${id}`)).task;

async function decompose(world: PageWorld): Promise<void> {
  const id = await world.make("roof", { triage: true, external: false });
  const { page, errors } = await open(world, id);
  await page.locator(".drawer").getByRole("button", { name: "Decompose", exact: true }).click();
  await page.getByText("decomposed into 2 children").waitFor();
  await page.locator(".graph-box").nth(2).waitFor();
  assert.equal((await taskOf(world, id)).status, "todo");
  await page.locator(".graph-here").focus();
  await page.keyboard.press("ArrowLeft");
  await page.locator(".graph-box:focus", { hasText: "lay tiles" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "lay tiles" }).waitFor();
  assert.deepEqual(errors, []);
  await page.context().close();
}

async function besideColumns(world: PageWorld): Promise<void> {
  const id = await world.make("beside", { external: false });
  const { page, errors } = await open(world, id);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("heading", { name: "beside" }).waitFor();
  // In one look: what needs someone comes later, and moves all of them.
  const [drawer, columns, top] = await page.evaluate(() =>
    [".drawer", ".columns", ".board-top"].map((selector) => document.querySelector(selector)?.getBoundingClientRect()),
  );
  assert.ok(drawer && columns && top);
  assert.ok(columns.right <= drawer.x + 1 && columns.width > 500, JSON.stringify({ columns, drawer }));
  assert.ok(top.bottom <= drawer.y + 1 && drawer.bottom <= 800, JSON.stringify({ top, drawer }));
  await page.setViewportSize({ width: 390, height: 800 });
  await page.waitForFunction(() => document.querySelector(".drawer")?.getBoundingClientRect().width === innerWidth);
  assert.deepEqual(errors, []);
  await page.context().close();
}

async function specify(world: PageWorld): Promise<void> {
  const id = await world.make("roof leaks", { triage: true, external: false });
  const { page, errors } = await world.open();
  const card = cardIn(page, "triage", "roof leaks");
  await card.getByRole("button", { name: "Specify" }).click();
  await cardIn(page, "ready", "Mend the roof").waitFor();
  assert.match((await taskOf(world, id)).body ?? "", /dry/);
  const second = await world.make("nothing comes of it", { triage: true, external: false });
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#/board/${second}`);
  await page.locator(".drawer").getByRole("button", { name: "Specify" }).click();
  await page.locator(".drawer").getByText("Not done: LLM returned an empty response").waitFor();
  assert.equal((await taskOf(world, second)).status, "triage");
  assert.deepEqual(errors, []);
  await page.context().close();
}

async function conflict(world: PageWorld): Promise<void> {
  const id = await world.make("one title");
  const { page: one, errors } = await open(world, id);
  const { page: other } = await open(world, id);
  const type = async (page: Page, text: string): Promise<void> => {
    await page.getByRole("button", { name: "Edit title" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill(text);
  };
  await type(one, "mine");
  await type(other, "theirs");
  await other.keyboard.press("Enter");
  await one.locator(".card-title", { hasText: "theirs" }).waitFor();
  await one.keyboard.press("Enter");
  const dialog = one.getByRole("dialog", { name: "Title has changed" });
  await dialog.waitFor();
  assert.deepEqual(await dialog.locator(".version").allTextContents(), ["theirs", "mine"]);
  assert.equal((await taskOf(world, id)).title, "theirs");
  await dialog.getByRole("button", { name: "Save mine" }).click();
  await other.getByRole("heading", { name: "mine" }).waitFor();
  assert.equal((await taskOf(world, id)).title, "mine");
  // What others change beside it is kept, and no one is asked.
  await type(one, "mine again");
  await world.ask("PATCH", `/tasks/${id}`, { priority: 7 });
  await one.keyboard.press("Enter");
  await one.getByRole("heading", { name: "mine again" }).waitFor();
  assert.equal((await taskOf(world, id)).priority, 7);
  assert.deepEqual(errors, []);
  for (const page of [one, other]) await page.context().close();
}

async function attachment(world: PageWorld): Promise<void> {
  const id = await world.make("with a file");
  const { page, errors } = await open(world, id);
  await page.getByRole("button", { name: "Attachments" }).click();
  const bytes = Buffer.from([0, 255, 10, 13, 128, 7]);
  await page
    .getByLabel("Files to attach")
    .setInputFiles({ name: "plan.bin", mimeType: "application/octet-stream", buffer: bytes });
  const coming = page.waitForEvent("download");
  await page.getByRole("button", { name: "plan.bin", exact: true }).click();
  const download = await coming;
  assert.equal(download.suggestedFilename(), "plan.bin");
  assert.deepEqual(readFileSync(await download.path()), bytes);
  await page.getByRole("button", { name: "Remove plan.bin" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByRole("button", { name: "plan.bin", exact: true }).waitFor({ state: "detached" });
  assert.deepEqual(errors, []);
  await page.context().close();
}

async function dependency(world: PageWorld): Promise<void> {
  const parent = await world.make("buy the paint");
  const id = await world.make("paint the fence");
  const { page, errors } = await open(world, id);
  await page.getByRole("button", { name: "Dependencies" }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await page.keyboard.type("buy paint");
  await page.getByRole("option", { name: /buy the paint/ }).waitFor();
  await page.keyboard.press("Enter");
  const unlink = page.getByRole("button", { name: "Unlink buy the paint" });
  await unlink.waitFor(); // the link alone is on the board too
  const { parents, status } = await taskOf(world, id);
  assert.deepEqual([parents, status], [[parent], "todo"]);
  await unlink.click();
  await unlink.waitFor({ state: "detached" });
  assert.equal((await taskOf(world, id)).status, "ready");
  assert.deepEqual(errors, []);
  await page.context().close();
}

async function byKeys(world: PageWorld): Promise<void> {
  const id = await world.make("typed upon");
  const { page, errors } = await open(world, id);
  await page.getByRole("button", { name: /edit tenant/ }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Tenant" }).waitFor();
  await page.keyboard.type("acme");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: /acme.*edit tenant/ }).waitFor();
  await page.locator("button:focus", { hasText: "acme" }).waitFor();
  assert.equal((await taskOf(world, id)).tenant, "acme");
  const comment = page.getByRole("textbox", { name: "New comment" });
  await comment.focus();
  await page.keyboard.type("half a thought");
  await page.keyboard.press("Escape");
  await page.locator(".drawer").waitFor({ state: "detached" });
  await page.goBack();
  assert.equal(await comment.inputValue(), "half a thought");
  await comment.focus();
  await page.keyboard.press("End");
  await page.keyboard.type(", and the rest");
  await page.keyboard.press("Control+Enter");
  await page.locator(".comment", { hasText: "half a thought, and the rest" }).waitFor();
  // The stream may bring the comment before the answer that empties the field.
  await page.waitForFunction(() => document.querySelector<HTMLTextAreaElement>(".comment-form textarea")?.value === "");
  assert.deepEqual(errors, []);
  await page.context().close();
}

async function work(world: PageWorld): Promise<void> {
  const id = await world.make("lay them", {
    external: false,
    assignee: "default",
    priority: 100,
    model_override: "script:worker",
  });
  const { page, errors } = await open(world, id);
  await world.ask("POST", "/dispatch?max=1");
  await page.locator(".run-running").waitFor();
  await page.getByRole("button", { name: "Conversation" }).click();
  await page.locator(".transcript").getByText("I begin.").waitFor();
  await page.getByRole("textbox", { name: "Log of the worker" }).waitFor();
  await page.getByRole("button", { name: "Look at its process" }).click();
  await page.locator(".process", { hasText: /process \d+ · / }).waitFor();
  world.model.release("go");
  await page.locator(".run-completed").getByText("tiles").first().waitFor();
  await page.locator(".transcript").getByText("kanban_complete").first().waitFor();
  await page.locator(".drawer-marks").getByText("Done").waitFor();
  assert.equal((await taskOf(world, id)).status, "done");
  assert.deepEqual(errors, []);
  await page.context().close();
}

async function chat(world: PageWorld): Promise<void> {
  const { page, errors } = await world.open();
  await page.getByRole("link", { name: "Sessions" }).click();
  await page.getByRole("button", { name: "New", exact: true }).click();
  await page.getByLabel("Directory").fill(world.work);
  await page.getByRole("button", { name: "Begin" }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("tidy up, please");
  await page.keyboard.press("Enter");
  const asked = page.getByRole("region", { name: "Permission" });
  assert.equal(await asked.locator(".exact").textContent(), COMMAND);
  await asked.getByRole("button", { name: "Allow once" }).click();
  await page.locator(".message-assistant strong", { hasText: "tidy" }).waitFor();
  await asked.waitFor({ state: "detached" });
  await page.getByRole("textbox", { name: "Message" }).fill("once more");
  await page.keyboard.press("Enter");
  await asked.waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Interrupted.", { exact: true }).waitFor();
  await page.getByRole("textbox", { name: "Message" }).fill("/title Tidy things");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Tidy things" }).waitFor();
  await page.getByRole("searchbox", { name: "Search conversations" }).fill("tidy up");
  await page.locator(".session-snippet").first().waitFor();
  assert.deepEqual(errors, []);
  await page.context().close();
}

async function setting(world: PageWorld): Promise<void> {
  const { page, errors } = await world.open({}, "#/board");
  await page.getByRole("link", { name: "Settings" }).click();
  await page.getByRole("searchbox", { name: "Search settings" }).fill("kanban.failure_limit");
  const value = page.locator(".setting .field-value");
  const usual = await value.textContent();
  const change = async (text: string): Promise<void> => {
    await value.click();
    await page.getByLabel("kanban.failure_limit").fill(text);
    await page.keyboard.press("Enter");
  };
  await change("7");
  await page.locator(".setting").getByText("set here").waitFor();
  assert.match(readFileSync(world.home.config, "utf8"), /failure_limit: 7/);
  await change("-1");
  await page.getByRole("alert").waitFor();
  await page.getByRole("button", { name: "Reset to default" }).click();
  await page.locator(".setting").getByText("default", { exact: true }).waitFor();
  assert.equal(await value.textContent(), usual);
  assert.deepEqual(errors, []);
  await page.context().close();
}

const HOSTILE =
  '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>[x](javascript:window.hurt=1) ![p](http://127.0.0.1:9/pixel.png)';

async function hostile(world: PageWorld): Promise<void> {
  const id = await world.make("<b>bold</b>", { body: HOSTILE });
  await world.ask("POST", `/tasks/${id}/comments`, { text: HOSTILE });
  await world.ask("PATCH", `/tasks/${id}`, { status: "done", summary: HOSTILE, result: HOSTILE });
  const { page: shown, errors } = await open(world, id);
  const asked: string[] = [];
  shown.on("request", (request) => asked.push(request.url()));
  await shown.reload();
  await shown.locator(".drawer .md").nth(2).waitFor();
  assert.equal(await shown.locator(".drawer .md :is(img, script, iframe, b)").count(), 0);
  assert.equal(await shown.locator(".drawer .md a:not([href^='http']):not([href^='mailto:'])").count(), 0);
  assert.equal(await shown.locator(".drawer .md a:not([rel='noopener noreferrer'])").count(), 0);
  assert.equal(await shown.evaluate("window.hurt"), undefined);
  assert.deepEqual(
    asked.filter((url) => url.includes("pixel")),
    [],
  );
  assert.deepEqual(errors, []);
  await shown.context().close();
}

async function accessible(world: PageWorld): Promise<void> {
  const parent = await world.make("the parent");
  const id = await world.make("everything in it", {
    parents: [parent],
    body: "# A\n\n- b\n\n```\nc\n```\n\n|a|\n|-|\n|b|",
  });
  await world.ask("POST", `/tasks/${id}/comments`, { text: "a *word*" });
  for (const colorScheme of ["light", "dark"] as const) {
    const { page } = await world.open({ colorScheme }, `#/board/${id}`);
    await page.locator(".drawer .moves").waitFor();
    await page.evaluate(() => {
      for (const fold of document.querySelectorAll<HTMLElement>(".drawer [aria-expanded='false']:not([role])"))
        fold.click();
      document.querySelector<HTMLElement>(".orchestration-fold")?.click();
      document.querySelector<HTMLElement>(".attention-fold[aria-expanded='false']")?.click();
    });
    await page.getByRole("heading", { name: "Profiles" }).waitFor();
    await page.getByText("No messaging platform has a home chat.").waitFor();
    await page.getByRole("button", { name: "Edit priority" }).or(page.locator(".field-value").nth(1)).first().click();
    assert.deepEqual(await axeFaults(page), [], colorScheme);
    for (const view of ["sessions", "logs", "status", "settings"]) {
      await page.evaluate((hash) => {
        location.hash = hash;
      }, `#/${view}`);
      await page.locator(`nav a[href='#/${view}'][aria-current]`).waitFor();
      await page.locator(".split, .page-view section, .page-view .panel").first().waitFor();
      assert.deepEqual(await axeFaults(page), [], `${view}, ${colorScheme}`);
    }
    await page.context().close();
  }
}
