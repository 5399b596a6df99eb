import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { axeFaults } from "../../../fixtures/dashboard/axe.js";
import { noBrowser } from "../../../fixtures/dashboard/browser.js";
import { pageWorld } from "../../../fixtures/dashboard/page-world.js";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import type { FormAsked } from "../../contracts/chat/form.js";

const FORM: FormAsked = {
  title: "New release",
  from: "mcp:ci",
  message: "These values are needed to **publish** the release.",
  fields: [
    { name: "tag", label: "Tag", type: "text", required: true, min_length: 2, description: "Name of the release" },
    { name: "mail", label: "Reply to", type: "text", required: false, format: "email" },
    { name: "count", label: "Copies", type: "integer", required: false, default: 3, min: 1, max: 9 },
    { name: "dry", label: "Dry run", type: "boolean", required: false, default: true },
    {
      name: "colors",
      label: "Colors",
      type: "choices",
      required: true,
      choices: [
        { value: "r", label: "Red" },
        { value: "b", label: "Blue" },
      ],
    },
  ],
};
const CONSENT: FormAsked = {
  title: "Log in",
  from: "mcp:files",
  message: "Open this address to log in.",
  fields: [],
  url: "https://login.xn--pple-43d.com/authorize?client=abc&state=0123456789",
};

interface Frame {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
}

/** Forms are open in whatever conversation the page attaches to. @returns what the page answers to them */
async function withForms(page: Page, forms: readonly FormAsked[]): Promise<Frame["params"][]> {
  const given: Frame["params"][] = [];
  const questions = forms.map((data, at) => ({ kind: "form", request: `q_${at}`, data }));
  const attaching = new Set<number>();
  await page.routeWebSocket(/./, (socket) => {
    const owner = socket.connectToServer();
    socket.onMessage((text) => {
      const frame: Frame = JSON.parse(String(text));
      if (frame.method === "session.attach" && frame.id !== undefined) attaching.add(frame.id);
      if (frame.method !== "form.respond") return owner.send(text);
      given.push(frame.params);
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: frame.id, result: { ok: true } }));
    });
    owner.onMessage((text) => {
      const frame: Frame = JSON.parse(String(text));
      const attached = frame.id !== undefined && attaching.delete(frame.id) && frame.result !== undefined;
      socket.send(attached ? JSON.stringify({ ...frame, result: { ...frame.result, questions } }) : text);
    });
  });
  return given;
}

test("a form is filled in on the page by keys alone, and its faults stand beside the fields", {
  skip: noBrowser(),
}, async (t) => {
  const world = await pageWorld(t);
  await world.run(["-z", "hello"]);
  const { page } = await world.open();
  const given = await withForms(page, [FORM, CONSENT]);
  await page.reload();
  await page.evaluate(() => {
    window.location.hash = "#/sessions";
  });
  await page.locator(".session-rows a").first().click();
  const form = page.getByRole("region", { name: "New release" });
  await form.waitFor();
  const picture = process.env["FORM_PICTURES"];
  const tag = form.getByLabel("Tag *");
  await tag.focus();
  await page.keyboard.type("v");
  await page.keyboard.press("Tab");
  await form.getByText("at least 2 characters", { exact: true }).waitFor();
  await page.keyboard.type("nobody");
  await page.keyboard.press("Enter");
  await form.getByText("must be an email address").waitFor();
  await form.getByText("choose at least one").waitFor();
  assert.equal(await tag.evaluate((input) => input === document.activeElement), true);
  assert.equal(await tag.getAttribute("aria-invalid"), "true");
  const faults = await axeFaults(page);
  assert.deepEqual(
    faults.filter((one) => !one.includes('class="transcript"')), // two forms leave it a line, and browsers let keys reach what scrolls
    [],
  );
  if (picture !== undefined) await page.screenshot({ path: `${picture}-faults.png`, fullPage: true });
  await page.keyboard.type("1");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("a@b.org");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.press("Tab");
  await page.keyboard.press("n");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const consent = page.getByRole("region", { name: "Log in" });
  if (picture !== undefined) await consent.screenshot({ path: `${picture}-consent.png` });
  assert.equal(await consent.locator("pre strong").textContent(), "login.xn--pple-43d.com");
  assert.equal(await consent.getByRole("link").count(), 0, "a server's address is no link");
  await consent.getByText("the host has letters that may look like others").waitFor();
  await consent.getByRole("button", { name: "Decline" }).click();
  await eventually(() => given.length === 2); // what the page sends is heard of later
  const content = { tag: "v1", mail: "a@b.org", count: "", dry: false, colors: ["r"] };
  assert.deepEqual(given, [
    { request: "q_0", action: "accept", content },
    { request: "q_1", action: "decline" },
  ]);
  await page.context().close();
});

test("two forms leave room for what was said, on a screen of 800 pixels and on a telephone", {
  skip: noBrowser(),
}, async (t) => {
  const world = await pageWorld(t);
  await world.run(["-z", "hello"]);
  const { page } = await world.open();
  await withForms(page, [FORM, { ...FORM, title: "Another release" }]);
  await page.reload();
  await page.evaluate(() => {
    window.location.hash = "#/sessions";
  });
  await page.locator(".session-rows a").first().click();
  await page.getByRole("region", { name: "Another release" }).waitFor();
  for (const size of [
    { width: 1280, height: 800 },
    { width: 390, height: 800 },
  ]) {
    await page.setViewportSize(size);
    const height = (await page.locator(".chat > .transcript").boundingBox())?.height ?? 0;
    assert.ok(height >= 120, `${size.width}: ${height} px`);
  }
});
