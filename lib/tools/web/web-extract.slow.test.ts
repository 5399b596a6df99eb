import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { ARTICLE, INJECTED } from "../../../fixtures/pages/web/articles.js";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";
import { call, rounds } from "../../../fixtures/worlds/run-code.js";

const OPEN = "security:\n  allow_private_urls: true\n";

async function site(t: TestContext, answer: RequestListener) {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
}

const PAGES: Readonly<Record<string, readonly [type: string, body: string]>> = {
  "/article": ["text/html", ARTICLE],
  "/injected": ["text/html", INJECTED],
  "/long": ["text/plain", "many words ".repeat(2_000)],
};

const serve: RequestListener = (request, response) => {
  const [type, body] = PAGES[request.url ?? ""] ?? [];
  if (body === undefined) response.writeHead(404).end("nothing");
  else response.writeHead(200, { "content-type": type ?? "" }).end(body);
};

test("five pages of which two fail: three are read, the rest says why, all as data from outside, and the summary is in the cost", async (t) => {
  const url = await site(t, serve);
  const urls = ["/article", "/gone", "/long", "/injected"].map((path) => `${url}${path}`);
  const owner = await chatOwner(t, {
    config: OPEN,
    script: (request) =>
      rounds(request) === 0 ? call("web_extract", { urls: [...urls, "http://169.254.169.254/"] }) : { text: "done" },
  });
  const turn = await owner.ask("read them");
  assert.equal(turn.completed, true);
  const [result] = (await owner.messages(turn.session_id)).filter(({ role }) => role === "tool");
  const content = result?.content ?? "";
  assert.match(content, /^<untrusted_tool_result source="web_extract">\n/);
  assert.equal(content.split("</untrusted_tool_result>").length, 2);
  const { results } = JSON.parse(/\{.*\}/s.exec(content)?.[0] ?? "{}");
  assert.deepEqual(
    results.map((one: { error?: string }) => one.error?.slice(0, 15)),
    [undefined, "HTTP status 404", undefined, undefined, "blocked: 169.25"],
  );
  assert.match(results[0].content, /A tide pool is a small sea/);
  assert.equal(results[2].content, "Short Title Here"); // the scripted model says so to every side question
  const path = /all of it is in (\S+):/.exec(results[2].note)?.[1] ?? "";
  assert.match(readFileSync(path, "utf8"), /^<untrusted_tool_result source="web_extract">\n.*\nmany words/);
  const report = await owner.chat.cost("session", turn.session_id);
  assert.deepEqual(
    report.by_slot.map(({ slot, requests }) => [slot, requests]).filter(([slot]) => slot === "web_extract"),
    [["web_extract", 1]],
  );
});

test("an interrupt ends the reading of pages, and the conversation goes on", async (t) => {
  let arrived: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const url = await site(t, () => arrived());
  const owner = await chatOwner(t, {
    config: OPEN,
    script: (request) =>
      rounds(request) === 0 ? call("web_extract", { urls: [`${url}/silent`] }) : { text: "still here" },
  });
  const session = await owner.open();
  const turn = owner.chat.submit({ session: session.id, text: "read it" });
  await reached;
  await owner.chat.interrupt(session.id);
  assert.equal((await turn).interrupted, true);
  const [result] = (await owner.messages(session.id)).filter(({ role }) => role === "tool");
  assert.equal(result?.status, "cancelled");
  assert.equal((await owner.chat.submit({ session: session.id, text: "and now?" })).final_response, "still here");
});

test("an address with a placeholder of a secret is refused, and nothing is sent", async (t) => {
  let requests = 0;
  const url = await site(t, (_request, response) => {
    requests += 1;
    response.end("x");
  });
  const owner = await chatOwner(t, {
    config: OPEN,
    script: (request) =>
      [
        call("terminal", { command: "echo sk-abcdefghijklmnopqrstuvwxyz0123" }),
        call("web_extract", { urls: [`${url}/?key=«secret:api_key:1»`] }),
      ][rounds(request)] ?? { text: "done" },
  });
  const turn = await owner.ask("read it");
  const results = (await owner.messages(turn.session_id)).filter(({ role }) => role === "tool");
  assert.match(results[1]?.content ?? "", /a secret cannot be handed to this tool \(web_extract\)/);
  assert.equal(requests, 0);
});
