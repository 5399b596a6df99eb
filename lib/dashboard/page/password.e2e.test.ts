import assert from "node:assert/strict";
import { test } from "node:test";
import { noBrowser } from "../../../fixtures/dashboard/browser.js";
import { isLive, pageWorld } from "../../../fixtures/dashboard/page-world.js";

test("a password that was set lets a browser in, also its next window, and changes what it is told to", {
  skip: noBrowser(),
}, async (t) => {
  const world = await pageWorld(t);
  const set = await world.run(["dashboard", "password", "set"], { input: "correct horse\n" });
  assert.equal(set.code, 0, set.err);
  const { page, errors } = await world.browser.window();
  await page.goto(world.url);
  await page.getByRole("textbox", { name: "Password" }).fill("wrong horse");
  await page.keyboard.press("Enter");
  assert.match((await page.getByRole("alert").textContent()) ?? "", /Wrong password/);
  await page.getByRole("textbox", { name: "Password" }).fill("correct horse");
  await page.keyboard.press("Enter");
  await isLive(page);
  const next = await page.context().newPage();
  await next.goto(world.url);
  await isLive(next);
  const changed = await next.evaluate(async () => {
    const send = (headers: Record<string, string>) =>
      fetch("api/plugins/kanban/tasks", { method: "POST", headers, body: '{"title":"from a cookie"}' });
    const word = sessionStorage.getItem("agent.token")?.replace("cookie ", "") ?? "";
    const type = { "content-type": "application/json" };
    return [(await send(type)).status, (await send({ ...type, "x-agent-csrf": word })).status];
  });
  assert.deepEqual(changed, [403, 200]);
  assert.deepEqual(
    errors.filter((error) => !/401|403/.test(error)),
    [],
  );
});
