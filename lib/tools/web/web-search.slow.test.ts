import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type SearchServer, startSearchServer } from "../../../fixtures/servers/search/server.js";
import { keyOf } from "../../../fixtures/servers/search/wires.js";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";
import { runLine } from "../../../fixtures/sim/run-line.js";
import { call, rounds, runCode } from "../../../fixtures/worlds/run-code.js";
import { services as serviceSet } from "../../rpc/commands/command-services.js";

/** Search services on this machine, with the settings that point an owner at them. */
async function services(t: TestContext): Promise<SearchServer> {
  const server = await startSearchServer();
  t.after(server.close);
  return server;
}

const search = (args: object) => call("web_search", args);

test("a turn searches the web: the model gets the pages as data from outside, and a failure as an error it can act on", async (t) => {
  const server = await services(t);
  const asked = [search({ query: "blue whales", limit: 2 }), search({ query: "later" }), search({ query: " " })];
  const owner = await chatOwner(t, {
    script: (request) => asked[rounds(request)] ?? { text: "done" },
    config: server.config,
    env: { TAVILY_API_KEY: keyOf("tavily") },
  });
  server.next(undefined, {
    status: 429,
    headers: { "retry-after": "30" },
    body: '{"detail": {"error": "Your request has been blocked."}}',
  });
  const turn = await owner.ask("look it up");
  assert.equal(turn.completed, true);
  const [found, refused, blank] = (await owner.messages(turn.session_id)).filter(({ role }) => role === "tool");
  assert.match(found?.content ?? "", /^<untrusted_tool_result source="web_search">\n[^\n]*no instructions of the user/);
  assert.deepEqual(JSON.parse(/\{.*\}/.exec(found?.content ?? "")?.[0] ?? ""), {
    success: true,
    provider: "tavily",
    data: {
      web: [1, 2].map((at) => ({
        title: `blue whales & more, part ${at}`,
        url: `https://site-${at}.example/blue%20whales`,
        description: `What page ${at} says about blue whales.`,
        position: at,
      })),
    },
  });
  assert.equal(refused?.status, "error");
  assert.match(refused?.content ?? "", /"success":false,"provider":"tavily"/);
  assert.match(
    refused?.content ?? "",
    /429: Your request has been blocked\. The limit of requests is used up\. It is free again in 30 s/,
  );
  assert.equal(blank?.status, "error");
});

test("a secret is not searched for: the call with its placeholder is refused and nothing is sent", async (t) => {
  const server = await services(t);
  const owner = await chatOwner(t, {
    script: (request) =>
      [call("read_file", { path: "keys.txt" }), search({ query: "who uses «secret:api_key:1»" })][rounds(request)] ?? {
        text: "done",
      },
    config: server.config,
  });
  writeFileSync(join(owner.work, "keys.txt"), "KEY=sk-abcdefghijklmnopqrstuvwxyz0123\n");
  const turn = await owner.ask("look it up");
  const results = (await owner.messages(turn.session_id)).filter(({ role }) => role === "tool");
  assert.match(results[1]?.content ?? "", /a secret cannot be handed to this tool \(web_search\)/);
  assert.equal(server.requests.length, 0);
});

test("the example of the topic web works: the settings that it makes lead a turn to the instance", async (t) => {
  const server = await services(t);
  const topic = readFileSync("lib/help/topics/web.md", "utf8");
  const lines = [...topic.matchAll(/^ {4}agent (config set web\..*)$/gm)]
    .map(([, line = ""]) => line.split(" "))
    .filter(([, , key]) => key !== "web.extract_backend"); // pages, not searches
  assert.equal(lines.length, 2);
  const owner = await chatOwner(t, {
    script: (request) => (rounds(request) === 0 ? search({ query: "blue whales", limit: 3 }) : { text: "three pages" }),
  });
  for (const words of lines) {
    const set = words.map((word) => word.replace("http://127.0.0.1:8888", `${server.url}/searxng`));
    const { code, err } = await runLine(set, serviceSet(owner.app));
    assert.equal(code, 0, err);
  }
  const turn = await owner.ask("search the web for blue whales and name three pages");
  assert.equal(turn.completed, true);
  assert.equal(server.requests[0]?.service, "searxng");
  const { out } = await runLine(["doctor"], serviceSet(owner.app));
  assert.match(out, /web search: searxng \(web\.search_backend\)/);
});

test("a program searches: it gets the parsed result, and a failure as an error", async (t) => {
  const server = await services(t);
  const code = `
import { web_search } from "agent-tools";
const { provider, data } = await web_search({ query: "whales", limit: 3 });
console.log(provider, data.web.map(({ url }) => url).join(" "));
console.log((await web_search({ query: "whales" })).error);`;
  const { run } = await runCode(t, [code], { config: server.config });
  server.next(undefined, { status: 500, body: "{}" });
  const { ran } = await run();
  const [first = "", second = ""] = ran[0]?.output.split("\n") ?? [];
  assert.equal(first, `searxng ${[1, 2, 3].map((at) => `https://site-${at}.example/whales`).join(" ")}`);
  assert.match(second, /searxng answered 500/);
  assert.deepEqual(
    ran[0]?.failed_calls?.map(({ tool }) => tool),
    ["web_search"],
  );
});

test("a program in Python searches in the same way", async (t) => {
  const server = await services(t);
  const code = `
from agent_tools import web_search
print([page["title"] for page in web_search(query="whales", limit=1)["data"]["web"]])`;
  const { run } = await runCode(t, [{ code, language: "python" }], { config: server.config });
  const { ran } = await run();
  assert.equal(ran[0]?.output, "['whales & more, part 1']");
});
