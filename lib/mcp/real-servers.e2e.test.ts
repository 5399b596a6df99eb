import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../fixtures/e2e/eventually.js";
import { everythingListens } from "../../fixtures/mcp/listening.js";
import { installed, known, mcpWorld } from "../../fixtures/mcp/world.js";
import { proves } from "../../fixtures/requirements.js";
import type { FormAsked } from "../contracts/chat/form.js";

const STEPS = { duration: 1, steps: 2 };

for (const way of ["stdio", "http", "sse"] as const)
  test(`MC1: a real server over ${way} answers, and its picture is a file`, async (t) => {
    const entry =
      way === "stdio" ? installed("everything", "stdio") : { url: await everythingListens(t, way), transport: way };
    const world = await mcpWorld(t, { every: entry }, { config: { "mcp.initial_wait_seconds": 60 } });
    await known(world);
    assert.deepEqual(await world.json("mcp_every_echo", { message: "one" }), { result: "Echo: one" });
    const pictured = await world.call("mcp_every_get_tiny_image");
    const image = String(JSON.parse(pictured.text).result);
    const [, path = ""] = /^MEDIA:(.+\.png)$/m.exec(image) ?? [];
    assert.ok(existsSync(path), image);
    assert.deepEqual(pictured.images, [{ path }]);
    const structured = await world.json("mcp_every_get_structured_content", { location: "New York" });
    assert.equal(typeof structured["structuredContent"], "object");
    assert.match(String((await world.json("mcp_every_list_prompts"))["result"]), /object/);
    const [status] = await world.api.status("every");
    assert.equal(status?.state, "ready");
    assert.equal(status?.era, "2025-11-25");
    assert.ok((status?.resources ?? 0) > 0 && (status?.prompts ?? 0) > 0);
  });

test("MC2: calls of one batch run at once where the server allows it, and one after the other where it does not", async (t) => {
  proves(t, "tools.mcp.parallel-per-server", "config.mcp.parallel");
  const program = installed("everything", "stdio");
  const servers = { at_once: { ...program, supports_parallel_tool_calls: true }, in_turn: program };
  const world = await mcpWorld(t, servers, { config: { "mcp.initial_wait_seconds": 60 } });
  await known(world);
  /** Each call asks the user something; it ends when `answer` does. */
  const order = async (name: string, answer: (asked: number) => Promise<unknown>): Promise<string> => {
    const heard: string[] = [];
    let asked = 0;
    const askForm = async () => {
      heard.push("asks");
      await answer(++asked);
      return { action: "decline" as const, content: {} };
    };
    const one = async () => {
      await world.call(`mcp_${name}_trigger_elicitation_request`, {}, { askForm });
      heard.push("ends");
    };
    await Promise.all([one(), one(), one()]);
    return heard.join(" ");
  };
  let release: () => void = () => undefined;
  const allAsked = new Promise<void>((resolve) => {
    release = resolve;
  });
  const whenAllAsk = (asked: number) => {
    if (asked === 3) release();
    return allAsked;
  };
  assert.equal(await order("at_once", whenAllAsk), "asks asks asks ends ends ends");
  // Another server answers meanwhile: a second call would have asked by then.
  const whileOthersAnswer = () => world.call("mcp_at_once_echo", { message: "one" });
  assert.equal(await order("in_turn", whileOthersAnswer), "asks ends asks ends asks ends");
});

test("MC2: the progress of a call is shown while it runs", async (t) => {
  const world = await mcpWorld(
    t,
    { every: installed("everything", "stdio") },
    { config: { "mcp.initial_wait_seconds": 60 } },
  );
  await known(world);
  const heard: string[] = [];
  const progress = (text: string) => heard.push(text.split("/")[0] ?? "");
  await world.call("mcp_every_trigger_long_running_operation", STEPS, { progress });
  assert.equal(heard[0], "1");
});

test("MC4: what a server asks is asked of the user; accept with content, decline, and decline where no one is", async (t) => {
  const world = await mcpWorld(
    t,
    { every: installed("everything", "stdio") },
    { config: { "mcp.initial_wait_seconds": 60 } },
  );
  await known(world);
  const asked: FormAsked[] = [];
  const accept = await world.json(
    "mcp_every_trigger_elicitation_request",
    {},
    {
      askForm: async (form) => {
        asked.push(form);
        return { action: "accept", content: { name: "Ada", check: true } };
      },
    },
  );
  assert.match(String(accept["result"]), /User provided the requested information[\s\S]*Ada/);
  assert.equal(asked[0]?.from, "MCP server every");
  assert.deepEqual(asked[0]?.fields[0]?.label, "String");
  assert.ok((asked[0]?.waits_until ?? 0) > 0);
  const declined = await world.json(
    "mcp_every_trigger_elicitation_request",
    {},
    {
      askForm: async () => ({ action: "decline", content: {} }),
    },
  );
  assert.match(String(declined["result"]), /declined/);
  assert.match(String((await world.json("mcp_every_trigger_elicitation_request"))["result"]), /declined/);
});

test("MC5: a server is told the directories of sessions, and keeps the one of its own arguments", async (t) => {
  const world = await mcpWorld(t, {}, { config: { "mcp.initial_wait_seconds": 60 } });
  const dir = join(world.bench.root, "files");
  mkdirSync(dir);
  writeFileSync(join(dir, "a.txt"), "of the arguments");
  await world.configure({ files: installed("filesystem", dir), every: installed("everything", "stdio") });
  await known(world);
  writeFileSync(join(world.bench.project, "b.txt"), "of the session");
  const read = async (path: string) => String((await world.json("mcp_files_read_text_file", { path }))["result"]);
  assert.equal(await read(join(dir, "a.txt")), "of the arguments");
  // The server reads the list again when it is told that it is another one.
  const readsThere = async () => /of the session/.test(await failing(read(join(world.bench.project, "b.txt"))));
  await eventually(readsThere);
  assert.equal(await read(join(world.bench.project, "b.txt")), "of the session");
  const roots = async () => String((await world.json("mcp_every_get_roots_list"))["result"]);
  await eventually(async () => (await roots()).includes(world.bench.project));
});

const failing = (work: Promise<string>): Promise<string> => work.catch(() => "");

test("MC6: a request of a server is answered by the model for side work, with no more tokens than the cap", async (t) => {
  const limits: number[] = [];
  const world = await mcpWorld(
    t,
    { every: { ...installed("everything", "stdio"), sampling: { max_tokens_cap: 50, max_rpm: 1 } } },
    {
      config: { "mcp.initial_wait_seconds": 60 },
      aux: {
        state: async () => "usable",
        ask: async ({ maxOutputTokens, user }) => {
          limits.push(maxOutputTokens);
          return { ok: true, text: `about ${user.length > 0 ? "this" : "nothing"}` };
        },
      },
    },
  );
  await known(world);
  const answer = await world.json("mcp_every_trigger_sampling_request", { prompt: "hello", maxTokens: 900 });
  assert.match(String(answer["result"]), /about this/);
  assert.deepEqual(limits, [50]);
  assert.match(
    JSON.stringify(await world.json("mcp_every_trigger_sampling_request", { prompt: "x" })),
    /more than 1 requests/,
  );
});
