import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
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
import type { SessionId } from "../../base/units.js";

test("a child has the model and the effort that its parent has chosen, unless the settings name others", async (t) => {
  const childOf = async (owner: Awaited<ReturnType<typeof chatOwner>>, parent: SessionId) => {
    const [child] = await owner.chat.children(parent);
    const model = owner.model.chats().find(({ body }) => body !== undefined && isChild(body))?.body?.model;
    return [model, (await owner.chat.modelOf(child?.id as SessionId)).effort];
  };
  const chosen = await chatOwner(t, { script: delegating({ goal: "x" }, []) });
  const session = await chosen.open();
  await chosen.chat.setModel(session.id, { model: "fake-2", effort: "low" });
  await chosen.chat.submit({ session: session.id, text: "do it" });
  assert.deepEqual(await childOf(chosen, session.id), ["fake-2", "low"]);
  const config = "delegation:\n  model: fake-3\n  reasoning_effort: high\n";
  const named = await chatOwner(t, { script: delegating({ goal: "x" }, []), config });
  assert.deepEqual(await childOf(named, (await named.ask("do it")).session_id), ["fake-3", "high"]);
});

test("a placeholder means the same secret to parent and child", async (t) => {
  const secret = "sk-abcdefghijklmnopqrstuvwxyz0123";
  const parent = [
    call("delegate_task", { goal: "read it" }),
    call("write_file", { path: "copy.txt", content: "«secret:api_key:1»" }),
    { text: "ok" },
  ];
  const owner = await chatOwner(t, {
    script: (request) => {
      if (!isChild(request)) return parent[rounds(request)] ?? { text: "?" };
      return rounds(request) === 0 ? call("read_file", { path: "key.txt" }) : { text: "it is «secret:api_key:1»" };
    },
  });
  writeFileSync(join(owner.work, "key.txt"), `KEY=${secret}\n`);
  await owner.ask("do it");
  assert.equal(readFileSync(join(owner.work, "copy.txt"), "utf8"), secret);
  assert.equal(
    owner.model.requests.some((request) => request.raw.includes(secret)),
    false,
  );
});

test("what a child would have to ask is asked where its parent is shown, and the answer counts for the call", async (t) => {
  const owner = await chatOwner(t, {
    script: delegating({ goal: "tidy up" }, [call("terminal", { command: "rm -rf kept" }), { text: "gone" }]),
  });
  mkdirSync(join(owner.work, "kept"));
  const session = await owner.open({ source: "workspace" });
  const shown = new AbortController();
  t.after(() => shown.abort());
  await owner.chat.attach(session.id, shown.signal);
  const running = owner.chat.submit({ session: session.id, text: "do it" });
  const asked = await firstFromNow(owner.chat, session.id, "approval.requested");
  const [question] = await owner.chat.questions(session.id);
  assert.ok(question?.kind === "approval");
  assert.equal(question.data.command, "rm -rf kept");
  await owner.chat.answerApproval(question.request, { answer: "once" }, "test");
  const turn = await running;
  assert.equal(asked.turn_id, turn.turn_id);
  assert.equal(existsSync(join(owner.work, "kept")), false);
  const [result] = (await owner.results(session.id)) as Delegated[];
  assert.equal(result?.results[0]?.summary, "gone");
});

test("where no one can be asked, a child is denied and its parent hears of it", async (t) => {
  const owner = await chatOwner(t, {
    script: delegating({ goal: "tidy up" }, [call("terminal", { command: "rm -rf kept" }), { text: "denied" }]),
  });
  mkdirSync(join(owner.work, "kept"));
  const turn = await owner.ask("do it");
  assert.equal(existsSync(join(owner.work, "kept")), true);
  const [result] = (await owner.results(turn.session_id)) as Delegated[];
  assert.equal(result?.results[0]?.tool_trace[0]?.status, "denied");
  const denied = [{ tool: "terminal", preview: "rm -rf kept", rule_to_allow: "rm -rf kept" }];
  assert.deepEqual([result?.results[0]?.denied, turn.denied], [denied, denied]);
  const allowed = await chatOwner(t, {
    config: "delegation:\n  subagent_auto_approve: true\n",
    script: delegating({ goal: "tidy up" }, [call("terminal", { command: "rm -rf kept" }), { text: "gone" }]),
  });
  mkdirSync(join(allowed.work, "kept"));
  await allowed.ask("do it");
  assert.equal(existsSync(join(allowed.work, "kept")), false);
});

const WITHOUT = ["clarify", "delegate_task", "execute_code", "memory", "send_message"];

test("a leaf has what its parent has, without the tools that are not for children; an orchestrator may delegate where depth allows", async (t) => {
  const replies = [
    call("delegate_task", { goal: "leaf" }),
    call("delegate_task", { goal: "boss", role: "orchestrator" }),
    { text: "ok" },
  ];
  const owner = await chatOwner(t, {
    config: "delegation:\n  max_spawn_depth: 2\n",
    script: (request) => {
      if (!isChild(request)) return replies[rounds(request)] ?? { text: "?" };
      if (askedFirst(request) === "boss" && rounds(request) === 0)
        return call("delegate_task", { goal: "grandchild", role: "orchestrator" });
      return { text: `${askedFirst(request)} ended` };
    },
  });
  const turn = await owner.ask("do it");
  const of = (goal: string) =>
    owner.model.chats().find(({ body }) => body !== undefined && isChild(body) && askedFirst(body) === goal)?.body;
  const [parent] = owner.model.chats();
  const all = toolNames(parent?.body ?? { model: "", messages: [] });
  const expected = all.filter((name) => !WITHOUT.includes(name) && !name.startsWith("kanban_"));
  const [leaf, boss, grandchild] = ["leaf", "boss", "grandchild"].map((goal) =>
    toolNames(of(goal) ?? { model: "", messages: [] }),
  );
  assert.deepEqual(leaf, expected);
  assert.equal(boss?.includes("delegate_task"), true);
  assert.deepEqual(grandchild, expected, "the third generation has no children");
  const [, second] = (await owner.results(turn.session_id)) as Delegated[];
  assert.equal(second?.results[0]?.summary, "boss ended");
});

test("a toolset that the parent does not have is refused with those that a child may have", async (t) => {
  const owner = await chatOwner(t, { script: delegating({ goal: "x", toolsets: ["terminal"] }, []) });
  const turn = await owner.ask("do it", { toolsets: ["file", "delegation"] });
  const [result] = (await owner.results(turn.session_id)) as Delegated[];
  assert.match(result?.error ?? "", /^unknown toolset: terminal \(available to children: .*\bfile\b/);
  assert.equal(owner.model.chats().filter(({ body }) => body !== undefined && isChild(body)).length, 0);
});
