import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { axeFaults } from "../../../fixtures/dashboard/axe.js";
import { noBrowser } from "../../../fixtures/dashboard/browser.js";
import { pageWorld } from "../../../fixtures/dashboard/page-world.js";
import { startProtectedServer } from "../../../fixtures/servers/mcp/protected-server.js";

test("the page shows MCP servers with their state, tools and last error, and connects, disables, enables and logs in to them", {
  skip: noBrowser(),
}, async (t) => {
  const guarded = await startProtectedServer();
  t.after(() => guarded.close());
  const servers = {
    small: { command: process.execPath, args: [resolve("fixtures/mcp/small.mjs")] },
    broken: { command: "no-such-program-of-mcp" },
    guarded: { url: guarded.url, auth: "oauth" },
  };
  const world = await pageWorld(t, { config: `mcp_servers: ${JSON.stringify(servers)}\n` });
  const { page } = await world.open();
  await page.getByRole("link", { name: "Status" }).click();
  const row = (name: string) => page.getByRole("listitem", { name, exact: true });
  await row("small").getByRole("button", { name: "Reconnect" }).click();
  await row("small").getByText("ready").waitFor();
  await row("small").getByText("Tools", { exact: true }).click();
  await row("small").getByText("mcp_small_").first().waitFor();
  await row("broken").getByRole("button", { name: "Reconnect" }).click();
  await row("broken").getByText("failed").waitFor();
  await row("broken").getByText("no-such-program-of-mcp").first().waitFor();
  await row("small").getByRole("button", { name: "Disable" }).click();
  await row("small").getByText("disabled").waitFor();
  assert.equal(await row("small").getByRole("button", { name: "Reconnect" }).count(), 0);
  await row("small").getByRole("button", { name: "Enable" }).click();
  await row("small").getByRole("button", { name: "Disable" }).waitFor();
  await row("guarded").getByRole("button", { name: "Log in" }).click();
  const link = row("guarded").getByRole("link", { name: /^Log in at 127\.0\.0\.1/ });
  const address = (await link.getAttribute("href")) ?? "";
  assert.ok(address.startsWith(guarded.issuer), address);
  assert.doesNotMatch((await page.locator(".mcp-servers").textContent()) ?? "", /NaN/);
  for (const size of [
    { width: 1280, height: 900 },
    { width: 390, height: 900 },
  ]) {
    await page.setViewportSize(size);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(wide <= 0, `${size.width}: ${wide} px too wide`);
    await picture(page, size.width);
  }
  assert.deepEqual(await axeFaults(page), []);
  await fetch(await guarded.browse(address));
  await page.waitForFunction(async () => {
    const button = [...document.querySelectorAll("button")].find((one) => one.ariaLabel === "Look again");
    button?.click();
    await new Promise((resolve) => requestAnimationFrame(resolve));
    return document.querySelector('li[aria-label="guarded"]')?.textContent?.includes("ready") === true;
  });
});

/** A picture of it, where someone wants to look: `AGENT_TEST_PICTURES` names a directory. */
async function picture(
  page: { screenshot(options: { path: string; fullPage: boolean }): Promise<unknown> },
  width: number,
) {
  const dir = process.env["AGENT_TEST_PICTURES"];
  if (dir === undefined) return;
  mkdirSync(dir, { recursive: true });
  await page.screenshot({ path: join(dir, `mcp-${width}.png`), fullPage: true });
}
