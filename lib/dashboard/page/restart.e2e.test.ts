import assert from "node:assert/strict";
import { test } from "node:test";
import { noBrowser } from "../../../fixtures/dashboard/browser.js";
import { cardIn, isLive, type PageWorld, pageWorld, TOKEN } from "../../../fixtures/dashboard/page-world.js";

const CASES: readonly { readonly name: string; readonly run: (world: PageWorld) => Promise<void> }[] = [
  {
    name: "after its owner was started anew a page goes on: it loses nothing, repeats nothing, and reads nothing but what has changed",
    run: goesOn,
  },
  {
    name: "when the owner knows the token no more, the page asks for the new one and keeps what was open",
    run: asksForToken,
  },
];

test("a page whose owner is started again", { skip: noBrowser() }, async (t) => {
  const world = await pageWorld(t);
  for (const { name, run } of CASES) await t.test(name, () => run(world));
});

async function goesOn(world: PageWorld): Promise<void> {
  await world.make("was there");
  const { page, errors } = await world.open();
  const questions: string[] = [];
  const frames: number[] = [];
  page.on("request", (request) => {
    if (request.url().includes("/kanban/board?")) questions.push(request.url());
  });
  page.on("websocket", (socket) =>
    socket.on("framereceived", ({ payload }) => {
      const { events = [] } = JSON.parse(String(payload)) as { events?: readonly { id: number }[] };
      frames.push(...events.map(({ id }) => id));
    }),
  );
  await page.getByLabel("Search tasks").fill("was");
  const startAgain = await world.stop();
  await page.locator(".connection-waiting").waitFor();
  await startAgain();
  await world.make("was made in between");
  await isLive(page);
  await cardIn(page, "ready", "was made in between").waitFor();
  await world.make("was made afterwards");
  await cardIn(page, "ready", "was made afterwards").waitFor();
  assert.ok(questions.length > 0 && questions.every((url) => url.includes("ids=")), questions.join("\n"));
  assert.deepEqual(frames, [...new Set(frames)], "no event comes twice");
  assert.equal(await page.getByLabel("Search tasks").inputValue(), "was");
  assert.deepEqual(errors, []);
  await page.context().close();
}

async function asksForToken(world: PageWorld): Promise<void> {
  const id = await world.make("kept open");
  const { page } = await world.open({}, `#/board/${id}`);
  await page.locator(".drawer .moves").first().waitFor();
  const comment = page.getByRole("textbox", { name: /comment/i });
  await comment.fill("half a thought");
  const startAgain = await world.stop();
  await page.locator(".connection-waiting").waitFor();
  await startAgain(`other-${TOKEN}`);
  await page.getByText("has restarted").waitFor();
  await page.getByLabel("Session token").fill(`other-${TOKEN}`);
  await page.keyboard.press("Enter");
  await isLive(page);
  assert.equal(await comment.inputValue(), "half a thought");
  await page.context().close();
}
