import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type BenchOptions, bench, configOf } from "../../../fixtures/worlds/tool-context.js";
import type { BrowserAnswer, BrowserApi, BrowserCommand, BrowserStatus } from "../../contracts/browser/browser.js";
import { createLineage, createRedactor } from "../../safety/redact/redact.js";
import type { AnyTool } from "../core/define.js";
import { TOOLS } from "../index.gen.js";
import cdp from "./browser-cdp.js";
import click from "./browser-click.js";
import doSteps from "./browser-do.js";
import navigate from "./browser-navigate.js";
import type_ from "./browser-type.js";
import vision from "./browser-vision.js";
import { hasBrowser } from "./place.js";

const LOCAL: BrowserStatus = {
  kind: "local",
  running: true,
  where: null,
  version: null,
  contexts: 1,
  leases: [],
  note: null,
  why: null,
};

interface Options extends BenchOptions {
  readonly kind?: BrowserStatus["kind"];
  readonly answer?: BrowserAnswer;
}

function browserOf(t: TestContext, options: Options = {}) {
  const made = bench(t, options);
  const sent: BrowserCommand[] = [];
  const status = { ...LOCAL, kind: options.kind ?? "local" };
  const browser: BrowserApi = {
    run: async (_place, command) => {
      sent.push(command);
      return options.answer ?? { value: { success: true } };
    },
    status: async () => status,
    connect: async () => status,
    disconnect: async () => status,
    release: async () => undefined,
  };
  const ports = { ...made.context.ports, browser };
  return { ...made, sent, call: (tool: AnyTool, args: object) => made.run(tool, { ...args }, { ports }) };
}

test("in a browser of the agent's own a click is decided by rules alone; in a person's it is asked about", async (t) => {
  const own = browserOf(t);
  await own.call(click, { ref: "e1" });
  assert.deepEqual(
    own.asked.map(({ command, declared }) => [command, declared]),
    [["browser_click e1", undefined]],
  );
  const theirs = browserOf(t, {
    kind: "attached",
    permit: () => ({ allowed: false, status: "denied", message: "no" }),
  });
  const refused = await theirs.call(click, { ref: "e1" });
  assert.match(theirs.asked[0]?.declared?.text ?? "", /your own browser, where you may be logged in/);
  assert.equal(refused.status, "denied");
  assert.deepEqual(theirs.sent, []);
});

test("a secret is typed after a question that shows its placeholder, and is marked as one", async (t) => {
  const lineage = createLineage();
  const redactor = createRedactor({ known: () => [], enabled: true, lineage });
  const shown = redactor.text("KEY=sk-abcdefghijklmnopqrstuvwxyz0123").slice("KEY=".length);
  const { call, asked, sent } = browserOf(t, {
    redact: (text) => redactor.text(text),
    reveal: (text) => lineage.resolve(text),
  });
  await call(type_, { ref: "e1", text: shown });
  assert.equal(asked[0]?.command, `browser_type e1 ${shown}`);
  assert.match(asked[0]?.declared?.text ?? "", /value of a secret/);
  const text = "sk-abcdefghijklmnopqrstuvwxyz0123";
  assert.deepEqual(sent, [{ do: "step", step: { type: { ref: "e1", text, secret: true } } }]);
  await call(type_, { ref: "e1", text: "plain" });
  assert.deepEqual(sent[1], { do: "step", step: { type: { ref: "e1", text: "plain" } } });
  assert.equal(doSteps.secrets, "refused");
});

test("only files that may be read are uploaded", async (t) => {
  const { call, sent, project, root } = browserOf(t);
  writeFileSync(join(project, "a.txt"), "a");
  mkdirSync(join(root, "user", ".ssh"));
  writeFileSync(join(root, "user", ".ssh", "id_rsa"), "key");
  const upload = (file: string) => call(doSteps, { steps: [{ upload: { ref: "e1", files: [file] } }] });
  await upload("a.txt");
  assert.deepEqual(sent, [{ do: "steps", steps: [{ upload: { ref: "e1", files: [join(project, "a.txt")] } }] }]);
  const refused = await upload(join(root, "user", ".ssh", "id_rsa"));
  assert.equal(refused.status, "error");
  assert.match(refused.text, /step 1: /);
  assert.equal(sent.length, 1);
});

test("a step has one action", async (t) => {
  const { call, sent } = browserOf(t);
  const two = await call(doSteps, { steps: [{ click: { ref: "e1" }, press: { key: "a" } }] });
  assert.match(two.text, /step 1 has 2 actions/);
  assert.match((await call(doSteps, { steps: [{ press: { key: "a" } }, {}] })).text, /step 2 has 0 actions/);
  assert.deepEqual(sent, []);
});

test("an address without a scheme is taken as https", async (t) => {
  const { call, sent } = browserOf(t);
  for (const url of ["example.org/a", "localhost:8080", "http://a.test", "file:///etc/passwd"])
    await call(navigate, { url });
  assert.deepEqual(
    sent.map((command) => (command.do === "navigate" ? command.url : "")),
    ["https://example.org/a", "https://localhost:8080", "http://a.test", "file:///etc/passwd"],
  );
});

test("a screenshot comes with the question, and a raw command is always asked about", async (t) => {
  const { call } = browserOf(t, {
    answer: { value: { success: true, screenshot_path: "/s.png" }, screenshot: "/s.png" },
  });
  const { images } = await call(vision, { question: "What is red?" });
  assert.deepEqual(images, [{ path: "/s.png", question: "What is red?" }]);
  assert.match(
    cdp.declares?.({ method: "DOM.enable", params: {}, timeout: 30 })?.text ?? "",
    /raw command DOM\.enable/,
  );
});

test("a failure of the page is an error of the call, and a conversation without a browser says what to do", async (t) => {
  const { call, run } = browserOf(t, { answer: { value: { success: false, error: "stale ref e1" } } });
  assert.equal((await call(click, { ref: "e1" })).status, "error");
  assert.match((await run(click, { ref: "e1" })).text, /install Chromium, or set browser\.cdp_url/);
});

test("the tools are offered where a browser is found or set, stand behind the search and run one after the other", async () => {
  const env = { PATH: "/nonexistent" };
  assert.match(String(await hasBrowser({ env, config: configOf({}) })), /no Chromium or Chrome on the PATH/);
  assert.equal(await hasBrowser({ env, config: configOf({ "browser.cdp_url": "http://127.0.0.1:9222" }) }), true);
  assert.equal(await hasBrowser({ env, config: configOf({ "browser.engine": "cloud" }) }), true);
  let questions = 0;
  const browser = (kind: "attached" | "none") =>
    ({
      status: async () => {
        questions += 1;
        return {
          kind,
          running: false,
          where: null,
          version: null,
          contexts: 0,
          leases: [],
          note: null,
          why: kind === "none" ? "no browser" : null,
        };
      },
    }) as unknown as BrowserApi; // nothing else of it is asked
  const connected = { env, config: configOf({}), outside: { browser: browser("attached") } };
  assert.equal(await hasBrowser(connected), true, "a person has connected one, or a plugin brings one");
  assert.equal(await hasBrowser(connected), true);
  assert.equal(questions, 1, "all tools of one list ask once");
  assert.equal(await hasBrowser({ env, config: configOf({}), outside: { browser: browser("none") } }), "no browser");
  const tools = await Promise.all(TOOLS.filter(({ toolset }) => toolset === "browser").map((entry) => entry.load()));
  assert.equal(tools.length, 13);
  for (const tool of tools) {
    assert.equal(tool.core, false);
    assert.ok(tool.description.length <= 250, tool.name);
    const { writes } = tool.effects(tool.name === "browser_do" ? { steps: [] } : {}, { cwd: "/", userHome: "/" });
    assert.deepEqual(writes, ["browser"]);
  }
});
