import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { type ChatOwnerOptions, chatOwner } from "../../../fixtures/sim/chat-owner.js";
import { DONE, T, W } from "../../../fixtures/sim/question-world.js";
import type { HookFields, HookName, Hooks } from "../../contracts/hooks/hooks.js";

async function world(t: TestContext, options: ChatOwnerOptions) {
  const owner = await chatOwner(t, { prepared: true, ...options });
  const hooks = owner.app.options.hooks as Hooks; // every owner has them
  const told: [HookName, object][] = [];
  const follow = (...names: readonly HookName[]) => {
    for (const name of names) hooks.add(name, (fields) => void told.push([name, fields]), { source: "test" });
  };
  const of = <N extends HookName>(name: N) =>
    told.filter(([one]) => one === name).map(([, fields]) => fields as HookFields[N]);
  const requests = () => owner.model.chats().map(({ body }) => body?.messages ?? []);
  return { ...owner, hooks, told, follow, of, requests };
}

test("PL1: a blocked call does not run, and the model reads the message", async (t) => {
  const { ask, hooks, work, results, of, follow } = await world(t, { script: [W("x.txt"), DONE] });
  follow("post_tool_call");
  hooks.add(
    "pre_tool_call",
    ({ tool_name, args }) =>
      tool_name === "write_file" ? { action: "block", message: `not ${String(args["path"])}` } : undefined,
    { source: "guard" },
  );
  const { session_id } = await ask("write it");
  assert.equal(existsSync(join(work, "x.txt")), false);
  assert.deepEqual(await results(session_id), [{ error: "not x.txt" }]);
  assert.deepEqual(
    of("post_tool_call").map(({ status, error_message }) => [status, error_message]),
    [["blocked", "not x.txt"]],
  );
});

test("PL2: post_tool_call sees the original result, and the text of transform_tool_result reaches the model", async (t) => {
  const { ask, hooks, follow, of, results, requests } = await world(t, { script: [T("echo original"), DONE] });
  const order: string[] = [];
  follow("post_tool_call");
  hooks.add("post_tool_call", () => void order.push("post"), { source: "a" });
  hooks.add(
    "transform_tool_result",
    ({ result }) => {
      order.push("transform");
      return result.replace("original", "changed");
    },
    {
      source: "a",
    },
  );
  const { session_id, turn_id } = await ask("run it");
  assert.deepEqual(order, ["post", "transform"]);
  const [seen] = of("post_tool_call");
  assert.match(seen?.result ?? "", /"output":"original"/);
  assert.deepEqual(
    [seen?.tool_name, seen?.args["command"], seen?.status, seen?.turn_id, seen?.api_request_id, seen?.session_id],
    ["terminal", "echo original", "ok", turn_id, `${turn_id}:r1`, session_id],
  );
  assert.match(JSON.stringify(await results(session_id)), /changed/);
  assert.match(JSON.stringify(requests().at(-1)), /changed/);
});

test("the output of a command is changed before it is cut and stripped of escape sequences", async (t) => {
  const { ask, hooks, results } = await world(t, { script: [T("printf '\\033[31mred\\033[0m'; exit 3"), DONE] });
  const seen: HookFields["transform_terminal_output"][] = [];
  hooks.add(
    "transform_terminal_output",
    (fields) => {
      seen.push(fields);
      return `${fields.output}\u001b[1m!`;
    },
    {
      source: "a",
    },
  );
  const { session_id } = await ask("run it");
  assert.deepEqual([seen[0]?.output, seen[0]?.returncode, seen[0]?.env_type], ["\u001b[31mred\u001b[0m", 3, "local"]);
  assert.equal(((await results(session_id)) as { output: string }[])[0]?.output, "red!");
});

test("PL4: context of pre_llm_call is in every request of its turn and stored nowhere; the system prompt stays the same", async (t) => {
  const { chat, open, hooks, messages, requests } = await world(t, {
    script: [T("true"), { text: "one" }, { text: "two" }, { text: "three" }],
  });
  const asked: HookFields["pre_llm_call"][] = [];
  hooks.add(
    "pre_llm_call",
    (fields) => {
      asked.push(fields);
      return { context: `CONTEXT ${asked.length}` };
    },
    { source: "a" },
  );
  const { id } = await open();
  for (const text of ["first", "second", "third"]) await chat.submit({ session: id, text });
  const users = requests().map((list) => list.filter(({ role }) => role === "user").map(({ content }) => content));
  assert.deepEqual(users, [
    ["first\n\nCONTEXT 1"],
    ["first\n\nCONTEXT 1"],
    ["first", "second\n\nCONTEXT 2"],
    ["first", "second", "third\n\nCONTEXT 3"],
  ]);
  assert.equal(JSON.stringify(await messages(id)).includes("CONTEXT"), false);
  const systems = new Set(requests().map((list) => JSON.stringify(list.find(({ role }) => role === "system"))));
  assert.equal(systems.size, 1);
  assert.equal([...systems][0]?.includes("CONTEXT"), false);
  assert.deepEqual(
    asked.map(({ user_message, is_first_turn, conversation_history }) => [
      user_message,
      is_first_turn,
      conversation_history.length,
    ]),
    [
      ["first", true, 0],
      ["second", false, 4],
      ["third", false, 6],
    ],
  );
});

test("the answer that a hook changes is shown and told as changed; the stored one is the model's", async (t) => {
  proves(t, "plugin.hooks");
  const { ask, hooks, messages, follow, of } = await world(t, { script: [{ text: "The answer." }] });
  follow("post_llm_call", "on_session_start", "on_session_end", "pre_api_request", "post_api_request");
  hooks.add("transform_llm_output", ({ response_text }) => response_text.toUpperCase(), { source: "a" });
  const result = await ask("ask");
  assert.deepEqual([result.final_response, result.response_transformed], ["THE ANSWER.", true]);
  assert.equal((await messages(result.session_id)).at(-1)?.content, "The answer.");
  assert.equal(of("post_llm_call")[0]?.assistant_response, "THE ANSWER.");
  assert.deepEqual(of("on_session_start"), [
    { session_id: result.session_id, model: "fake-1", platform: "cli", telemetry_schema_version: 1 },
  ]);
  assert.deepEqual(
    of("on_session_end").map(({ completed, interrupted, reason }) => [completed, interrupted, reason]),
    [[true, false, "text_response"]],
  );
  const [sent] = of("post_api_request");
  assert.deepEqual(
    [sent?.api_request_id, sent?.finish_reason, sent?.api_mode],
    [`${result.turn_id}:r1`, "stop", "chat_completions"],
  );
  assert.equal(of("pre_api_request").length, 1);
});

test("request middleware changes the call that hooks, guards and the tool see", async (t) => {
  const { ask, hooks, follow, of, results } = await world(t, { script: [T("echo one"), DONE] });
  follow("pre_tool_call");
  hooks.addMiddleware(
    "tool_request",
    (call, next) => next({ ...call, args: { ...call.args, command: "echo two" } }),
    "a",
  );
  const { session_id } = await ask("run it");
  assert.deepEqual(
    of("pre_tool_call").map(({ args, middleware_trace }) => [args["command"], middleware_trace]),
    [["echo two", ["a"]]],
  );
  assert.match(JSON.stringify(await results(session_id)), /"output":"two"/);
});

test("a tool middleware that throws fails its call; one that changes arguments behind the guards does too", async (t) => {
  const { ask, hooks, work, results } = await world(t, { script: [W("x.txt"), DONE, T("echo one"), DONE] });
  const remove = hooks.addMiddleware(
    "tool_request",
    () => {
      throw new Error("broken");
    },
    "a",
  );
  const first = await ask("write it");
  remove();
  assert.match(JSON.stringify((await results(first.session_id))[0]), /middleware of a failed: broken/);
  hooks.addMiddleware(
    "tool_execution",
    (call, next) => next({ ...call, args: { ...call.args, command: "touch x.txt" } }),
    "a",
  );
  const second = await ask("write it");
  assert.match(JSON.stringify((await results(second.session_id)).at(-1)), /use tool_request/);
  assert.equal(existsSync(join(work, "x.txt")), false);
});

test("execution middleware answers in place of a tool", async (t) => {
  const { ask, hooks, work, results } = await world(t, { script: [W("x.txt"), DONE] });
  hooks.addMiddleware("tool_execution", async () => ({ result: "from the cache", status: "ok" }), "a");
  const { session_id } = await ask("write it");
  assert.deepEqual(await results(session_id), ["from the cache"]);
  assert.equal(existsSync(join(work, "x.txt")), false);
});

test("model middleware changes requests and answers; one that throws is passed over", async (t) => {
  const { ask, hooks, requests } = await world(t, { script: [{ text: "one" }, { text: "two" }] });
  const removes = [
    hooks.addMiddleware(
      "llm_request",
      (call, next) => next({ ...call, messages: [...call.messages, { role: "user", content: "ADDED" }] }),
      "a",
    ),
    hooks.addMiddleware("llm_execution", async (call, next) => ({ ...(await next(call)), content: "changed" }), "a"),
  ];
  assert.equal((await ask("x")).final_response, "changed");
  assert.match(JSON.stringify(requests()[0]), /ADDED/);
  for (const remove of removes) remove();
  hooks.addMiddleware(
    "llm_request",
    () => {
      throw new Error("broken");
    },
    "a",
  );
  hooks.addMiddleware(
    "llm_execution",
    async (call, next) => {
      await next(call);
      throw new Error("broken");
    },
    "a",
  );
  assert.equal((await ask("y")).final_response, "two");
  assert.equal(requests().length, 2);
});

test("an interrupt ends the wait for a policy hook; the call is not started", async (t) => {
  const { chat, open, hooks, results, work } = await world(t, { script: [W("x.txt"), DONE] });
  const { id } = await open();
  hooks.add(
    "pre_tool_call",
    (_fields, signal) => {
      void chat.interrupt(id);
      return new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
    { source: "guard" },
  );
  const result = await chat.submit({ session: id, text: "write it" });
  assert.equal(result.interrupted, true);
  assert.match(JSON.stringify(await results(id)), /was not started/);
  assert.equal(existsSync(join(work, "x.txt")), false);
});

test("hooks are told of questions with their answers, and of children", async (t) => {
  const { chat, open, follow, of } = await world(t, { script: [T("rm -rf q"), DONE] });
  follow("pre_approval_request", "post_approval_response", "on_session_finalize", "on_session_reset");
  const { id } = await open({ source: "workspace" });
  const turn = chat.submit({ session: id, text: "remove it" });
  const control = new AbortController();
  for await (const event of chat.events(id, 0, control.signal))
    if (event.event === "approval.requested") {
      await chat.answerApproval(String(event.data["request"]), { answer: "deny" }, "test");
      control.abort();
    }
  await turn;
  const [asked] = of("pre_approval_request");
  assert.deepEqual([asked?.command, asked?.pattern_keys, asked?.surface], ["rm -rf q", ["rm-recursive"], "workspace"]);
  assert.equal(of("post_approval_response")[0]?.choice, "deny");
  await chat.leave(id, "new_session");
  assert.deepEqual([of("on_session_finalize")[0]?.session_id, of("on_session_reset")[0]?.session_id], [id, id]);
});
