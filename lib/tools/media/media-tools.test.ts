import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { MP4, mediaServer, PNG } from "../../../fixtures/servers/media/media.js";
import { startModelServer } from "../../../fixtures/servers/model/server.js";
import { type ChatOwner, chatOwner } from "../../../fixtures/sim/chat-owner.js";
import { bench } from "../../../fixtures/worlds/tool-context.js";
import type { VideoRequest } from "../../contracts/media/media.js";
import videoGenerate from "./video-generate.js";

const KEY = { FAL_KEY: "fal-secret-key-of-the-test" };

/** A conversation whose model makes one call of a tool, with the queue on this machine. */
async function world(
  t: TestContext,
  name: string,
  args: Readonly<Record<string, unknown>>,
  { env = KEY, config = "" }: { readonly env?: Readonly<Record<string, string>>; readonly config?: string } = {},
) {
  const server = await mediaServer();
  t.after(() => server.close());
  const settings = `video_gen: {queue: {base_url: "${server.url}"}, prices: {pixverse-v6: 0.1}}\nimage_gen: {queue: {base_url: "${server.url}"}}\nsecurity: {allow_private_urls: true}\n`;
  const owner = await chatOwner(t, {
    script: [{ tool_calls: [{ name, arguments: args }] }, { text: "done" }],
    config: `${settings}${config}`,
    env,
    prepared: true,
  });
  const ask = async () => {
    const ended = await owner.ask("please");
    const [result] = await owner.results(ended.session_id);
    return { ended, result: result as Record<string, unknown> }; // both tools answer one JSON object
  };
  const facts = async (tool: string) => {
    const { tools } = await owner.chat.toolList({ source: "cli", cwd: owner.work, env });
    return tools.find((one) => one.name === tool);
  };
  return { server, owner, ask, facts };
}

test("video_generate makes a file, tells the price before it is sent, and adds it to the session", async (t) => {
  proves(t, "tool.video-generate", "video.cache");
  const { server, owner, ask } = await world(t, "video_generate", { prompt: "a cat", duration: 4 });
  const { ended, result } = await ask();
  assert.equal(result["success"], true, JSON.stringify(result));
  assert(String(result["video"]).startsWith(join(owner.home.cache, "videos", "video_")));
  assert.deepEqual(readFileSync(String(result["video"])), MP4);
  assert.equal(result["cost_usd"], 0.4);
  assert.equal(server.submitted()[0]?.body["duration"], "4");
  assert.equal(ended.final_response, "done");
  assert.equal(await costOf(owner), "0.40");
});

test("an image of this machine goes along as a data URI, and what the read guard keeps back does not", async (t) => {
  const asked: VideoRequest[] = [];
  const media = {
    offered: async () => true as const,
    describe: async () => undefined,
    generateVideo: async (request: VideoRequest) => {
      asked.push(request);
      return { success: true };
    },
    generateImage: async () => ({ success: true }),
  };
  const place = bench(t);
  writeFileSync(join(place.project, "cat.png"), PNG);
  writeFileSync(join(place.project, "notes.txt"), "hello");
  mkdirSync(join(place.root, "user", "pictures"));
  writeFileSync(join(place.root, "user", "pictures", "dog.png"), PNG);
  writeFileSync(join(place.context.home.dir, ".env"), "FAL_KEY=x");
  const ports = { ports: { ...place.context.ports, media } };
  const run = async (image_url: string) =>
    JSON.parse((await place.run(videoGenerate, { prompt: "a", image_url }, ports)).text) as Record<string, unknown>; // an envelope
  for (const given of ["cat.png", "~/pictures/dog.png"]) assert.equal((await run(given))["success"], true, given);
  const uri = `data:image/png;base64,${PNG.toString("base64")}`;
  assert.deepEqual(
    asked.map(({ imageUrl }) => imageUrl),
    [uri, uri],
  );
  for (const [given, why] of [
    ["notes.txt", /not a PNG, JPEG, GIF or WebP/],
    ["gone.png", /no such file/],
    [join(place.context.home.dir, ".env"), /Refusing|secret|protected/i],
    ["data:text/html;base64,AAAA", /data:image/],
  ] as const) {
    const refused = await run(given);
    assert.deepEqual([refused["success"], refused["code"]], [false, "invalid_arguments"]);
    assert.match(String(refused["error"]), why);
  }
  assert.equal(asked.length, 2);
});

test("video_generate and image_generate are there with a backend, whose model they name, and say what to do without one", async (t) => {
  const keyless = await world(t, "video_generate", { prompt: "a" }, { env: {} });
  const missing = await keyless.facts("video_generate");
  assert.equal(missing?.offered, false);
  assert.match(missing?.why ?? "", /FAL_KEY.*|SEARCH_VENDOR_API_KEY/);
  assert.match((await keyless.facts("image_generate"))?.why ?? "", /FAL_KEY/);
  assert.match((await keyless.facts("mixture_of_agents"))?.why ?? "", /moa\.models/);
  const { facts, owner } = await world(
    t,
    "image_generate",
    { prompt: "a" },
    { config: "toolsets: [video_gen, image_gen]\n" },
  );
  assert.equal((await facts("video_generate"))?.offered, true);
  await owner.ask("please");
  const sent = JSON.stringify(owner.model.requests.at(0));
  assert.match(sent, /Backend queue, model pixverse-v6: from text or image; 1 to 15 s; 360p 540p 720p 1080p; audio/);
  assert.match(sent, /Backend queue, model fal-ai\/flux-2\/klein\/9b/);
});

test("image_generate makes a file; a backend that fails is a result, and the turn goes on", async (t) => {
  const made = await world(t, "image_generate", { prompt: "a cat", aspect_ratio: "portrait" });
  const { result } = await made.ask();
  assert.deepEqual(readFileSync(String(result["image"])), PNG);
  const broken = await world(t, "image_generate", { prompt: "a cat" });
  broken.server.always(/^POST/, { status: 429, headers: { "retry-after": "60" }, value: { detail: "slow down" } });
  const { ended, result: failed } = await broken.ask();
  assert.deepEqual([failed["success"], failed["error_type"], ended.final_response], [false, "queue_429", "done"]);
  assert.match(String(failed["error"]), /free again in 60 s/);
});

/** What a session has cost so far. */
async function costOf(owner: ChatOwner): Promise<string | undefined> {
  const [session] = await owner.chat.list({ limit: 1, archived: "both" });
  return session?.estimated_cost_usd?.toFixed(2);
}

test("several models answer and one joins; one that fails is named, and the cost is the session's", async (t) => {
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20, cost: 0.25 };
  const joined: string[] = [];
  const panel = await startModelServer({
    auxiliary: false,
    script: (request) => {
      if (request.model === "bad-1") return { status: 400, body: { error: { message: "no such model" } } };
      if (request.model !== "fake-4") return { text: `From ${request.model}.`, usage };
      joined.push(JSON.stringify(request.messages));
      return { text: "Joined.", usage };
    },
  });
  t.after(() => panel.close());
  const owner = await chatOwner(t, {
    script: [{ tool_calls: [{ name: "mixture_of_agents", arguments: { user_prompt: "Why?" } }] }, { text: "done" }],
    config: `providers: {panel: {base_url: "${panel.url}"}}\nmoa: {models: [panel/fake-2, panel/bad-1, panel/fake-3], aggregator: panel/fake-4}\ntoolsets: [moa]\n`,
    prepared: true,
  });
  const ended = await owner.ask("please");
  const [result] = (await owner.results(ended.session_id)) as Record<string, unknown>[]; // one JSON object
  assert.equal(result?.["success"], true, JSON.stringify(result));
  assert.deepEqual(
    [result?.["answer"], result?.["models"], result?.["cost_usd"]],
    ["Joined.", ["panel/fake-2", "panel/fake-3"], 0.75],
  );
  assert.match(JSON.stringify(result?.["failed"]), /bad-1.*no such model/);
  assert.match(joined[0] ?? "", /From fake-2\.[\s\S]*From fake-3\./);
  assert.equal(await costOf(owner), "0.75");
});

test("what several models cost counts against the session's budget: the turn ends with the answer that is paid", async (t) => {
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20, cost: 0.25 };
  const panel = await startModelServer({
    auxiliary: false,
    script: ({ model }) => ({ text: `From ${model}.`, usage }),
  });
  t.after(() => panel.close());
  const owner = await chatOwner(t, {
    script: [
      { tool_calls: [{ name: "mixture_of_agents", arguments: { user_prompt: "Why?" } }] },
      { text: "The summary." },
      { text: "never asked for" },
    ],
    config: `providers: {panel: {base_url: "${panel.url}"}}\nmoa: {models: [panel/fake-2, panel/fake-3], aggregator: panel/fake-4}\ntoolsets: [moa]\nagent: {max_cost_usd: 0.5}\n`,
    prepared: true,
  });
  const ended = await owner.ask("please");
  assert.deepEqual([ended.exit_reason, ended.final_response], ["cost_limit_reached", "The summary."]);
  const [result] = (await owner.results(ended.session_id)) as Record<string, unknown>[]; // one JSON object
  assert.deepEqual([result?.["success"], result?.["answer"]], [true, "From fake-4."]);
  assert.equal(await costOf(owner), "0.75");
});
