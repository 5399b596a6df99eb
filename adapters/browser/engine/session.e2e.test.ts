import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  noChromium,
  openTestSession,
  startChromium,
  type TestChromium,
} from "../../../fixtures/browser/test-session.js";
import { loopback } from "../../../fixtures/servers/shared/loopback.js";
import { runCommand } from "../commands/index.js";

const real = { skip: noChromium };
const never = new AbortController().signal;
let chromium: TestChromium;

describe("sessions of a real browser", () => {
  before(async () => {
    if (noChromium === false) chromium = await startChromium();
  });
  after(async () => {
    if (noChromium === false) await chromium.close();
  });

  test("a session shows a page of a server, and its dialogs, console and downloads are known", real, async (t) => {
    const server = await loopback(async (request, response) => {
      if (request.url === "/file") {
        response.setHeader("content-disposition", 'attachment; filename="../re:port.txt"');
        response.end("hello");
        return;
      }
      response.setHeader("content-type", "text/html");
      response.end('<title>Shop</title><a href="/file">get</a><script>console.warn("careful")</script>');
    });
    t.after(() => server.close());
    const session = await chromium.session(t);
    const answer = await runCommand(session, { do: "navigate", url: `${server.url}/` }, never);
    const { success, url, title } = answer.value;
    assert.deepEqual({ success, url, title }, { success: true, url: `${server.url}/`, title: "Shop" });
    assert.deepEqual(
      session.console.lines().map(({ type, text }) => [type, text]),
      [["warning", "careful"]],
    );
    const started = session.page().waitForEvent("download");
    await session.page().click("a");
    await started;
    const [news] = await session.downloads.taken(20_000);
    assert.equal(news?.name, "_re_port.txt");
    assert.equal(news?.path, join(session.dir, "downloads", "_re_port.txt"));
    assert.equal(readFileSync(String(news?.path), "utf8"), "hello");
    const opened = new Promise((resolve) => session.dialogs.onOpen(resolve));
    const asked = session.page().evaluate("confirm('sure?')");
    await opened;
    assert.equal(session.dialogs.pending()[0]?.message, "sure?");
    assert.equal(await session.dialogs.answer({ accept: true }), true);
    assert.equal(await asked, true);
  });

  test("a dialog that no one answers in time is dismissed, and its page goes on", real, async (t) => {
    const session = await chromium.session(t, { dialogMs: 1 });
    assert.equal(await session.page().evaluate("confirm('sure?')"), false);
    assert.deepEqual(session.dialogs.pending(), []);
  });

  for (const [how, told] of [
    ["says so before it comes", true],
    ["does not say so", false],
  ] as const)
    test(`a download that is larger than 100 MB and ${how} is stopped, refused and not kept`, real, async (t) => {
      const piece = Buffer.alloc(1 << 20);
      let sent = 0;
      const server = await loopback(async (request, response) => {
        if (request.url !== "/large") {
          response.setHeader("content-type", "text/html");
          response.end('<a href="/large">get</a>');
          return;
        }
        response.setHeader("content-disposition", 'attachment; filename="large.bin"');
        if (told) response.setHeader("content-length", 200 << 20);
        response.on("error", () => undefined); // the browser has left
        const more = (): void => {
          if (response.destroyed) return;
          if (sent >= 200) {
            response.end();
            return;
          }
          sent += 1;
          if (response.write(piece)) setImmediate(more);
          else response.once("drain", more);
        };
        more();
      });
      t.after(() => server.close());
      const session = await chromium.session(t);
      await session.page().goto(`${server.url}/`);
      const started = session.page().waitForEvent("download");
      await session.page().click("a");
      await started;
      const [news] = await session.downloads.taken(120_000);
      assert.deepEqual(news, { name: "large.bin", error: "refused: it is larger than 100 MB" });
      assert.equal(existsSync(join(session.dir, "downloads", "large.bin")), false);
    });

  test("a session downloads 50 files; the next one is refused by its name", real, async (t) => {
    const server = await loopback(async (request, response) => {
      const name = /^\/file-(\d+)$/.exec(request.url ?? "")?.[1];
      if (name !== undefined) response.setHeader("content-disposition", `attachment; filename="f${name}.txt"`);
      response.end(name === undefined ? "" : "x");
    });
    t.after(() => server.close());
    const session = await chromium.session(t);
    const page = session.page();
    await page.goto(`${server.url}/`);
    const news = [];
    for (let n = 1; n <= 51; n++) {
      const started = page.waitForEvent("download");
      await page.evaluate(`{ const a = document.createElement("a"); a.href = "/file-${n}"; a.click(); }`);
      await started;
      news.push(...(await session.downloads.taken(120_000)));
    }
    assert.equal(news.filter(({ path }) => path !== undefined).length, 50);
    assert.deepEqual(news.at(-1), { name: "f51.txt", error: "refused: a session may download at most 50 files" });
    assert.equal(readdirSync(join(session.dir, "downloads")).length, 50);
  });

  test("a page cannot be brought to a file, a page of the browser or a data address", real, async (t) => {
    const session = await chromium.session(t);
    for (const url of ["file:///etc/passwd", "chrome://version", "data:text/html,x", "view-source:http://a.test/"]) {
      assert.match(String(await session.refusal(url)), /^blocked: the browser opens http/);
      await assert.rejects(session.page().goto(url), /blocked: the browser opens http/);
      const cdp = await session.context.newCDPSession(session.page());
      await assert.rejects(cdp.send("Page.navigate", { url }), /blocked/);
    }
    assert.equal(session.page().url(), "about:blank");
  });

  test("a test can have one session in a browser of its own", real, async (t) => {
    const session = await openTestSession(t);
    assert.equal(await session.page().evaluate("1 + 1"), 2, "an empty page that was just opened answers");
  });

  test("the profile goes with the browser", real, async () => {
    const own = await startChromium();
    const { dir } = own;
    await own.close();
    assert.equal(existsSync(dir), false);
  });
});
