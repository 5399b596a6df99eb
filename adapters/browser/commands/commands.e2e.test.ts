import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { noChromium, startChromium, type TestChromium } from "../../../fixtures/browser/test-session.js";
import { type PageServer, servePages } from "../../../fixtures/pages/browser/server.js";
import type { BrowserCommand, BrowserStep } from "../../../lib/contracts/browser/browser.js";
import type { BrowserSession } from "../session.js";
import { runCommand } from "./index.js";

type Value = Readonly<Record<string, unknown>>;

const AT_ONCE = 4;

describe("commands on pages", { skip: noChromium, concurrency: AT_ONCE }, () => {
  let chromium: TestChromium;
  let pages: PageServer;

  before(async () => {
    [chromium, pages] = await Promise.all([startChromium(), servePages()]);
  });
  after(async () => {
    await chromium.close();
    await pages.close();
  });

  const never = new AbortController().signal;

  /** Commands of one session, and where elements are in what it answers. */
  function driver(session: BrowserSession) {
    const run = async (command: BrowserCommand): Promise<Value> => (await runCommand(session, command, never)).value;
    return {
      run,
      open: (page: string) => run({ do: "navigate", url: pages.url(page) }),
      step: (step: BrowserStep) => run({ do: "step", step }),
      ref: async (role: string, name: string): Promise<string> => {
        const { snapshot } = await run({ do: "snapshot", full: false, find: { role, name } });
        const line = String(snapshot)
          .split("\n")
          .find((one) => one.includes(`${role}${name === "" ? "" : ` "${name}"`}`));
        return /e\d+/.exec(line ?? "")?.[0] ?? assert.fail(`no ${role} ${name}: ${snapshot}`);
      },
    };
  }

  test("a password is typed and shown nowhere, neither in answers nor in files, also when the page shows it", async (t) => {
    const { run, open, step, ref } = driver(await chromium.session(t));
    const told: Value[] = [await open("password")];
    told.push(await step({ type: { ref: await ref("textbox", "Password"), text: "correct horse", secret: true } }));
    told.push(await step({ click: { ref: await ref("button", "Show password") } }));
    told.push(await run({ do: "snapshot", full: true }));
    told.push(await step({ click: { ref: await ref("button", "Log in") } }));
    const file = readFileSync(String(told[3]?.["file"]), "utf8");
    assert.match(file, /textbox "Password".*: ••••••/);
    assert.match(JSON.stringify(told), /Welcome/);
    assert.doesNotMatch(JSON.stringify(told) + file, /hunter2-old|correct horse/);
    await pages.solved("password");
  });

  test("the example of the topic `browser` answers as it is written there", async (t) => {
    const { run, open, step, ref } = driver(await chromium.session(t));
    assert.match(
      String((await open("cart"))["snapshot"]),
      /heading "Cart" \[level 1\]\n.*\ne\d+ spinbutton "Amount": 1\n/,
    );
    const removed = await ref("button", "Remove");
    const amount = await ref("spinbutton", "Amount");
    const steps = [{ type: { ref: amount, text: "3" } }, { click: { ref: await ref("button", "Update") } }];
    const { snapshot } = await run({ do: "steps", steps });
    assert.match(String(snapshot), /~ e\d+ spinbutton "Amount": 3 \(was 1\)\n/);
    assert.match(String(snapshot), /~ status: 3 lamps, 60 EUR \(was 1 lamp, 20 EUR\)/);
    const gone = await step({ click: { ref: removed } });
    assert.equal(gone["error"], `stale ref ${removed}: button "Remove" has gone, nothing was done`);
  });

  test("what can be edited without being a field is a textbox that is cleared and typed into", async (t) => {
    const { open, step, ref } = driver(await chromium.session(t));
    const { snapshot } = await open("contenteditable");
    assert.match(String(snapshot), /e\d+ textbox: Draft/);
    await step({ type: { ref: await ref("textbox", ""), text: "Final text" } });
    await step({ click: { ref: await ref("button", "Save") } });
    await pages.solved("contenteditable");
  });

  test("a ref that has gone does nothing and is answered with fresh elements of its role and name", async (t) => {
    const session = await chromium.session(t);
    const { open, step, ref } = driver(session);
    await open("validation");
    const stale = await ref("button", "Create account");
    await session.page().evaluate(`document.querySelector("button").outerHTML = "<button>Create an account</button>"`);
    const answer = await step({ click: { ref: stale } });
    assert.equal(answer["success"], false);
    assert.match(String(answer["error"]), /^stale ref e\d+: button "Create account" has gone, nothing was done/);
    assert.match(String(answer["candidates"]), /^e\d+ button "Create an account"$/);
    assert.match(String((await step({ click: { ref: "e99999" } }))["error"]), /unknown ref e99999/);
    await open("canvas");
    assert.match(
      String((await step({ click: { ref: stale } }))["error"]),
      /stale ref/,
      "a ref never means another page",
    );
  });

  test("a click on what is covered says what covers it", async (t) => {
    const { open, step, ref } = driver(await chromium.session(t));
    assert.match(String((await open("cookies"))["snapshot"]), /elements:\n(.*\n)?e\d+ button "Reject all"|Reject all/);
    const answer = await step({ click: { ref: await ref("button", "Read the article") } });
    assert.equal(answer["success"], false);
    assert.match(String(answer["error"]), /covered by <div .*close or accept what covers it/);
  });

  test("a list that draws its rows again scrolls under the last action", async (t) => {
    const { open, step, ref } = driver(await chromium.session(t));
    await open("virtual");
    await step({ hover: { ref: await ref("button", "Contact 2") } });
    for (let n = 0; n < 4; n++) {
      const { position } = await step({ scroll: { direction: "down" } });
      assert.match(String(position), /of \d+ px of a list/);
    }
    await step({ click: { ref: await ref("button", "Contact 40") } });
    await pages.solved("virtual");
  });

  test("steps stop at the first that fails, and the answer says which and what the others have done", async (t) => {
    const { run, open, ref } = driver(await chromium.session(t));
    await open("live");
    const note = await ref("textbox", "Note");
    const answer = await run({
      do: "steps",
      steps: [
        { type: { ref: note, text: "milk" } },
        { wait_for: { text: "never there", seconds: 0 } },
        { press: { key: "Enter" } },
      ],
    });
    const { success, done, failed, error } = answer;
    assert.deepEqual({ success, done, failed }, { success: false, done: 1, failed: 2 });
    assert.match(String(error), /'never there' is not shown/);
    assert.match(String(answer["snapshot"]), /~ e\d+ textbox "Note".*: milk/);
    const wrong = await run({ do: "steps", steps: [{ press: { key: "NoSuchKey" } }] });
    assert.match(String(wrong["error"]), /unknown key; use names such as Enter/);
  });

  test("a dialog ends the command that opened it, and other commands name it until it is answered", async (t) => {
    const { run, open, step, ref } = driver(await chromium.session(t));
    await open("prompt");
    const asked = await step({ click: { ref: await ref("button", "Rename file") } });
    const dialogs = [{ id: "d1", type: "prompt", message: "New name", default: "old.txt" }];
    assert.deepEqual(asked["pending_dialogs"], dialogs);
    const waiting = await run({ do: "snapshot", full: false });
    assert.match(String(waiting["error"]), /answer it with browser_dialog/);
    assert.deepEqual(waiting["pending_dialogs"], dialogs);
    assert.match(String((await run({ do: "dialog", action: "accept", dialogId: "d7" }))["error"]), /no open dialog d7/);
    const answer = await run({ do: "dialog", action: "accept", promptText: "new.txt" });
    assert.match(String(answer["snapshot"]), /new\.txt/);
    await pages.solved("prompt");
    assert.match(String((await run({ do: "dialog", action: "accept" }))["error"]), /no dialog is open/);
  });

  test("a popup and its closing are reported, and a download is a file", async (t) => {
    const { open, step, ref } = driver(await chromium.session(t));
    await open("popup");
    const opened = await step({ click: { ref: await ref("button", "Choose address") } });
    assert.match(JSON.stringify(opened["opened"]), /inner\/popup.*"title":"Addresses"/);
    const closed = await step({ click: { ref: await ref("button", "Main street") } });
    assert.match(String(closed["note"]), /has closed/);
    await open("download");
    const answer = await step({ click: { ref: await ref("link", "Report of March") } });
    const [file] = answer["downloads"] as { path: string }[]; // as downloads are told
    assert.equal(readFileSync(String(file?.path), "utf8"), "month,sum\nMarch,12\n");
  });

  test("the file of a page holds all of it for its user alone, and a full snapshot names it", async (t) => {
    const { run, open } = driver(await chromium.session(t));
    const { file } = await open("table");
    assert.equal(statSync(String(file)).mode & 0o777, 0o600);
    assert.match(readFileSync(String(file), "utf8"), /button "Edit customer 599"/);
    const full = await run({ do: "snapshot", full: true });
    assert.ok(String(full["snapshot"]).length <= 8_000);
    assert.match(String(full["snapshot"]), /rows left out; all of them: .*page-1\.yaml\]$/);
    const framed = await open("frame-same");
    assert.equal(framed["frame_tree"], undefined);
    assert.deepEqual((await run({ do: "snapshot", full: false }))["frame_tree"], ["about:srcdoc"]);
  });

  test("a page that holds programs off is reported with a warning, an ordinary one without", async (t) => {
    const { open } = driver(await chromium.session(t));
    assert.match(String((await open("challenge"))["bot_detection_warning"]), /checks whether a person is there/);
    assert.equal((await open("article"))["bot_detection_warning"], undefined);
  });

  test("console, values, pictures and screenshots are told within their bounds", async (t) => {
    const session = await chromium.session(t);
    const { run, open } = driver(session);
    await open("console");
    const lines = await run({ do: "console", clear: true });
    assert.match(JSON.stringify(lines["messages"]), /broken widget.*payment failed 500/);
    assert.equal((await run({ do: "console", clear: false }))["count"], 0);
    assert.equal((await run({ do: "console", clear: false, expression: "6 * 7" }))["value"], "42");
    const long = await run({ do: "console", clear: false, expression: "'x'.repeat(50000)" });
    assert.ok(JSON.stringify(long).length <= 2_048 && long["truncated"] === true);
    assert.match(String((await run({ do: "console", clear: false, expression: "nope(" }))["error"]), /SyntaxError/);
    await open("slow");
    assert.match(
      JSON.stringify(await run({ do: "images" })),
      /"count":1,"images":\[\{"src":"http.*never\/1","alt":"slow picture"/,
    );
    const plain = await runCommand(session, { do: "screenshot", annotate: false }, never);
    const drawn = await runCommand(session, { do: "screenshot", annotate: true }, never);
    for (const { screenshot } of [plain, drawn])
      assert.equal(readFileSync(String(screenshot)).subarray(1, 4).toString(), "PNG");
    assert.notDeepEqual(readFileSync(String(plain.screenshot)), readFileSync(String(drawn.screenshot)));
    assert.equal(await session.page().locator("#agent-annotations").count(), 0);
  });

  test("a raw command is sent to the page, but none that leaves the guards behind", async (t) => {
    const { run, open } = driver(await chromium.session(t));
    await open("select");
    const send = (method: string, params: Value = {}) => run({ do: "cdp", method, params, timeoutMs: 30_000 });
    const title = await send("Runtime.evaluate", { expression: "document.title" });
    assert.match(JSON.stringify(title), /"value":"Delivery"/);
    for (const method of [
      "Browser.close",
      "Target.createBrowserContext",
      "DOM.setFileInputFiles",
      "Page.setDownloadBehavior",
    ])
      assert.match(String((await send(method))["error"]), /is not available/);
    assert.match(String((await send("Page.navigate", { url: "file:///etc/passwd" }))["error"]), /^blocked/);
    assert.match(String((await send("No.such"))["error"]), /wasn't found/);
    const large = await send("Runtime.evaluate", { expression: "'y'.repeat(9000)" });
    assert.ok(JSON.stringify(large).length <= 2_048);
    assert.match(readFileSync(String(large["file"]), "utf8"), /y{9000}/);
  });

  test("an address that may not be opened, or has no server, is an error that says what to do", async (t) => {
    const { run } = driver(await chromium.session(t));
    const open = async (url: string) => String((await run({ do: "navigate", url }))["error"]);
    assert.match(await open("file:///etc/passwd"), /^blocked/);
    assert.match(await open("http://169.254.169.254/latest"), /^blocked/);
    assert.match(await open("http://127.0.0.1:1/"), /the server (does not answer|cannot be reached)|ERR_/);
  });
});
