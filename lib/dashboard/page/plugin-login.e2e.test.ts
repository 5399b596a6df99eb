import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { noBrowser } from "../../../fixtures/dashboard/browser.js";
import { putLoginPlugin } from "../../../fixtures/dashboard/login-plugin.js";
import { isLive, pageWorld } from "../../../fixtures/dashboard/page-world.js";

/** The page of another site (`localhost` is one beside 127.0.0.1): it sends back who says yes, and has links that no one asked for. */
async function accounts(t: TestContext): Promise<string> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const back = url.searchParams.get("redirect_uri") ?? "";
    const home = back.replace("/auth/callback", "");
    const to = (code: string) =>
      `${back}?${new URLSearchParams({ state: url.searchParams.get("state") ?? "", code })}`.replaceAll("&", "&amp;");
    response.writeHead(200, { "content-type": "text/html" });
    response.end(`<title>accounts</title><a href="${to("ok")}">Yes</a> <a href="${to("nobody")}">Somebody else</a>
      <a href="${home}/auth/login?provider=acct">Begin</a> <a href="${home}/">Open</a>
      <a href="${back}?state=made-up&amp;code=ok">Make up</a>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return `http://localhost:${(server.address() as AddressInfo).port}/authorize`; // it listens on TCP
}

test("an account that a plugin knows lets a browser in, also its next window; links of other sites begin and end nothing", {
  skip: noBrowser(),
}, async (t) => {
  const world = await pageWorld(t, { config: "plugins:\n  enabled: [acct]\n" });
  putLoginPlugin(world.home.dir, await accounts(t));
  await (await world.stop())();
  const { page } = await world.browser.window();
  const answerTo = async (name: string) => {
    const [response] = await Promise.all([
      page.waitForResponse((one) => one.request().isNavigationRequest()),
      page.getByRole("link", { name, exact: true }).click(),
    ]);
    return response.status();
  };
  const goToAccounts = async () => {
    await page.goto(`${world.url}login`);
    await page.getByRole("link", { name: "Log in with Acct & Co" }).click();
    await page.waitForURL(/localhost/);
  };
  await goToAccounts();
  assert.equal(await answerTo("Begin"), 403);
  await page.goBack();
  assert.equal(await answerTo("Open"), 403);
  await page.goBack();
  assert.equal(await answerTo("Make up"), 400);
  await page.goBack();
  assert.equal(await answerTo("Somebody else"), 403);
  await page.getByRole("link", { name: "Back to the login page" }).click();
  await page.getByRole("link", { name: "Log in with Acct & Co" }).waitFor();
  await goToAccounts();
  await page.getByRole("link", { name: "Yes" }).click();
  await isLive(page);
  assert.doesNotMatch(page.url(), /state|code/);
  const next = await page.context().newPage();
  await next.goto(world.url);
  await isLive(next);
  const changed = await next.evaluate(async () => {
    const send = (headers: Record<string, string>) =>
      fetch("api/plugins/kanban/tasks", { method: "POST", headers, body: '{"title":"from an account"}' });
    const word = sessionStorage.getItem("agent.token")?.replace("cookie ", "") ?? "";
    const type = { "content-type": "application/json" };
    return [(await send(type)).status, (await send({ ...type, "x-agent-csrf": word })).status];
  });
  assert.deepEqual(changed, [403, 200]);
});
