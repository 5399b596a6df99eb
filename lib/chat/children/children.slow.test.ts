import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ScriptRequest } from "../../../fixtures/servers/model/script.js";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";
import {
  askedFirst,
  type Delegated,
  delegating,
  firstFromNow,
  isChild,
  toolNames,
} from "../../../fixtures/worlds/children.js";
import { call, rounds } from "../../../fixtures/worlds/run-code.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import type { SessionId } from "../../base/units.js";

const system = (request: ScriptRequest): string => String(request.messages[0]?.content);

test("C32: a child has four file tools and the goal as its message; its summary is the parent's result, and no list shows it", async (t) => {
  const owner = await chatOwner(t, {
    script: delegating({ goal: "look at it", context: "it is blue", toolsets: ["file"] }, [{ text: "child text" }]),
  });
  writeFileSync(join(owner.work, "AGENTS.md"), "zebra rule\n");
  const turn = await owner.ask("do it");
  assert.equal(turn.final_response, "Parent final.");
  const request = owner.model.chats().find(({ body }) => body !== undefined && isChild(body))?.body;
  assert.ok(request !== undefined);
  assert.deepEqual(toolNames(request), ["patch", "read_file", "search_files", "write_file"]);
  assert.equal(askedFirst(request), "look at it");
  assert.match(system(request), /YOUR TASK:\nlook at it\n\nCONTEXT:\nit is blue\n\nWORKSPACE PATH: .*\/work/);
  assert.equal(system(request).includes("zebra"), false, "no standing instructions of the project");
  const [result] = (await owner.results(turn.session_id)) as Delegated[];
  const [one] = result?.results ?? [];
  assert.deepEqual(
    [one?.task_index, one?.status, one?.summary, one?.exit_reason],
    [0, "completed", "child text", "completed"],
  );
  assert.deepEqual([one?.api_calls, one?.model, one?.tool_trace, one?.files_changed], [1, "fake-1", [], []]);
  const listed = (await owner.chat.list({})).map((session) => session.id);
  assert.deepEqual(listed, [turn.session_id]);
  const found = (await owner.chat.search("child", 10)).map((hit) => hit.session_id);
  assert.deepEqual([...new Set(found)], [turn.session_id], "nor does a search find it");
  const child = await owner.chat.get(one?.session_id as SessionId);
  assert.deepEqual(
    [child?.source, child?.relation, child?.parent_session_id, child?.end_reason],
    ["subagent", "delegate", turn.session_id, "completed"],
  );
});

test("what a child changed is the parent's, with a trace, and a file that the parent had read has to be read again", async (t) => {
  const child = [call("write_file", { path: "a.txt", content: "new\n" }), { text: "wrote it" }];
  const owner = await chatOwner(t, {
    script: (request) => {
      if (isChild(request)) return child[rounds(request)] ?? { text: "?" };
      return (
        [call("read_file", { path: "a.txt" }), call("delegate_task", { goal: "write a.txt" }), { text: "ok" }][
          rounds(request)
        ] ?? {
          text: "?",
        }
      );
    },
  });
  const path = join(owner.work, "a.txt");
  writeFileSync(path, "old\n");
  const turn = await owner.ask("do it");
  assert.deepEqual(turn.files_changed, [path]);
  assert.equal(readFileSync(path, "utf8"), "new\n");
  const [, delegated] = (await owner.results(turn.session_id)) as [unknown, Delegated];
  const [result] = delegated.results;
  assert.deepEqual(result?.files_changed, [path]);
  assert.deepEqual(result?.stale_paths, [path]);
  assert.match(
    result?.summary ?? "",
    /^wrote it\n\n\[The child has changed files that you have read: .*a\.txt\. Read them again/,
  );
  assert.deepEqual(
    result?.tool_trace.map(({ tool, status }) => [tool, status]),
    [["write_file", "ok"]],
  );
});

test("several tasks are worked at the same time, with results in their order; too many are refused with the limit", async (t) => {
  const tasks = ["one", "two", "three"].map((goal) => ({ goal }));
  const owner = await chatOwner(t, {
    script: (request) => {
      if (isChild(request)) return { text: `did ${askedFirst(request)}`, hold: "go" };
      const replies = [
        call("delegate_task", { tasks }),
        call("delegate_task", { tasks: [...tasks, { goal: "four" }] }),
        { text: "ok" },
      ];
      return replies[rounds(request)] ?? { text: "?" };
    },
  });
  const running = owner.ask("do it");
  await owner.model.arrived(4); // the parent's first request and, before any is answered, those of all three children
  owner.model.release("go");
  const turn = await running;
  const [first, second] = (await owner.results(turn.session_id)) as Delegated[];
  assert.deepEqual(
    first?.results.map(({ task_index, summary }) => [task_index, summary]),
    [
      [0, "did one"],
      [1, "did two"],
      [2, "did three"],
    ],
  );
  assert.match(second?.error ?? "", /4 children are too many: delegation\.max_concurrent_children is 3/);
});

test("more delegate calls in one response than children are allowed: the others are told so", async (t) => {
  const owner = await chatOwner(t, {
    script: (request) => {
      if (isChild(request)) return { text: askedFirst(request), hold: "go" };
      const calls = ["a", "b", "c", "d"].map((goal) => ({ name: "delegate_task", arguments: { goal } }));
      return rounds(request) === 0 ? { tool_calls: calls } : { text: "ok" };
    },
  });
  const running = owner.ask("do it");
  await owner.model.arrived(4);
  owner.model.release("go");
  const results = (await owner.results((await running).session_id)) as Delegated[];
  assert.deepEqual(
    results.map((result) => result.results?.[0]?.summary ?? result.error?.slice(0, 23)),
    ["a", "b", "c", "1 children are too many"],
  );
});

const TICKS = "echo $$ > pid; while :; do echo tick; sleep 0.1; done";

test("an interrupt of the parent reaches its children: their commands are gone and the results say so", async (t) => {
  const owner = await chatOwner(t, { script: delegating({ goal: "wait" }, [call("terminal", { command: TICKS })]) });
  const session = await owner.open();
  const running = owner.chat.submit({ session: session.id, text: "do it" });
  const { id } = (await firstFromNow(owner.chat, session.id, "child.progress")).data;
  await firstFromNow(owner.chat, id as SessionId, "tool.progress"); // the id of its session is what an event names it by
  assert.equal(await owner.chat.interrupt(session.id), true);
  const turn = await running;
  assert.equal(turn.interrupted, true);
  const [result] = (await owner.results(session.id)) as Delegated[];
  const [one] = result?.results ?? [];
  assert.deepEqual(
    [one?.status, one?.exit_reason, one?.tool_trace[0]?.status],
    ["interrupted", "interrupted", "interrupted"],
  );
  const pid = Number(readFileSync(join(owner.work, "pid"), "utf8"));
  assert.equal(systemSpawner.identify(pid), undefined);
});

test("one child is stopped by its id, and the parent goes on with what is told of it", async (t) => {
  const owner = await chatOwner(t, { script: delegating({ goal: "wait" }, [{ text: "never", hold: "never" }]) });
  const running = owner.ask("do it");
  await owner.model.arrived(2);
  const [child] = await owner.chat.children();
  assert.deepEqual([child?.goal, child?.status, child?.role], ["wait", "running", "leaf"]);
  assert.equal(await owner.chat.interruptChild(child?.id as SessionId), true);
  const turn = await running;
  assert.equal(turn.final_response, "Parent final.");
  const [result] = (await owner.results(turn.session_id)) as Delegated[];
  assert.deepEqual(
    [result?.results[0]?.status, result?.results[0]?.error],
    ["interrupted", "the user stopped this child"],
  );
  assert.equal(await owner.chat.interruptChild(child?.id as SessionId), false);
  const [listed] = await owner.chat.children(turn.session_id);
  assert.deepEqual([listed?.id, listed?.status], [child?.id, "interrupted"]);
});

test("a child that takes too long is stopped, and one that fails says why", async (t) => {
  const slow = await chatOwner(t, {
    config: "delegation:\n  child_timeout_seconds: 1\n",
    script: delegating({ goal: "wait" }, [{ text: "never", hold: "never" }]),
  });
  const turn = await slow.ask("do it");
  const [late] = (await slow.results(turn.session_id)) as Delegated[];
  assert.deepEqual([late?.results[0]?.status, late?.results[0]?.exit_reason], ["timeout", "timeout"]);
  const broken = await chatOwner(t, {
    script: delegating({ goal: "x" }, [{ status: 400, body: { error: { message: "bad thing" } } }]),
  });
  const failed = await broken.ask("do it");
  const [result] = (await broken.results(failed.session_id)) as Delegated[];
  assert.deepEqual([result?.results[0]?.status, result?.results[0]?.exit_reason], ["failed", "error"]);
  assert.match(result?.results[0]?.error ?? "", /bad thing/);
});

test("a child has a budget of requests of its own", async (t) => {
  const owner = await chatOwner(t, {
    config: "delegation:\n  max_iterations: 1\n",
    script: delegating({ goal: "x" }, [call("read_file", { path: "a" })]),
  });
  const turn = await owner.ask("do it");
  const [result] = (await owner.results(turn.session_id)) as Delegated[];
  assert.deepEqual([result?.results[0]?.exit_reason, turn.completed], ["max_iterations", true]);
});

test("front ends of the parent hear of the beginning, the tools and the end of a child, and its price is the parent's", async (t) => {
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110, cost: 0.5 };
  const owner = await chatOwner(t, { script: delegating({ goal: "look" }, [{ text: "child text", usage }]) });
  const turn = await owner.ask("do it");
  const events = (await owner.events(turn.session_id)).filter(({ event }) => event.startsWith("child."));
  assert.deepEqual(
    events.map(({ event, turn_id, data }) => [event, turn_id, data["goal"], data["status"]]),
    [
      ["child.started", turn.turn_id, "look", "running"],
      ["child.ended", turn.turn_id, "look", "completed"],
    ],
  );
  assert.deepEqual(events[1]?.data["tokens"], { input: 100, output: 10 });
  const parent = await owner.chat.get(turn.session_id);
  const [result] = (await owner.results(turn.session_id)) as Delegated[];
  assert.equal(result?.results[0]?.cost_usd, 0.5);
  assert.equal(parent?.estimated_cost_usd, 0.5);
});

test("what a child cost is counted once in the cost of its parent's conversation", async (t) => {
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110, cost: 0.5 };
  const owner = await chatOwner(t, { script: delegating({ goal: "look" }, [{ text: "child text", usage }]) });
  const { session_id: id } = await owner.ask("do it");
  const { total, by_child: children, turns } = await owner.chat.cost("session", id);
  assert.deepEqual([total.requests, total.cost_usd], [3, 0.5]);
  assert.deepEqual(
    children.map(({ requests, cost_usd }) => [requests, cost_usd]),
    [[1, 0.5]],
  );
  assert.equal(turns[0]?.cost_usd, 0.5, "the turn that sent it holds its price");
});
