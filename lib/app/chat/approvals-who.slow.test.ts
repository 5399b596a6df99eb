import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { DONE, follow, questionWorld, T } from "../../../fixtures/sim/question-world.js";

test("C57: the first answer wins, closes the question for everybody, and a later one is told so", async (t) => {
  const { chat, session, say, asked, front } = await questionWorld(t, { replies: [T("rm -rf q"), DONE] });
  const other = follow(t, chat, session);
  const turn = say();
  const { request } = await asked();
  assert.equal((await other.next("approval.requested")).data["request"], request);
  const answers = await Promise.allSettled([
    chat.answerApproval(request, { answer: "deny" }, "one"),
    chat.answerApproval(request, { answer: "once" }, "two"),
  ]);
  assert.deepEqual(
    answers.map((answer) => answer.status),
    ["fulfilled", "rejected"],
  );
  await assert.rejects(chat.answerApproval(request, { answer: "once" }, "two"), { code: "E_ALREADY_RESOLVED" });
  for (const one of [front, other])
    assert.deepEqual((await one.next("approval.resolved")).data, { request, answer: "deny", by: "one" });
  await turn;
});

test("an interrupt while an approval is open closes the question at once, and nothing runs", async (t) => {
  const { chat, session, say, asked, q } = await questionWorld(t, { replies: [T("rm -rf q"), DONE] });
  const turn = say();
  const { request } = await asked();
  assert.equal(await chat.interrupt(session.id), true);
  assert.deepEqual(await chat.questions(), [], "nothing is waited for before it is closed");
  const result = await turn;
  assert.equal(result.interrupted, true);
  const told = (await chat.messages(session.id)).find((message) => message.role === "tool");
  assert.deepEqual(
    [told?.status, told?.content],
    ["skipped", "[Tool execution skipped: terminal was not started. The user interrupted.]"],
  );
  assert.ok(existsSync(q));
  await assert.rejects(chat.answerApproval(request, { answer: "once" }, "late"), { code: "E_ALREADY_RESOLVED" });
});

test("a question that an owner left open is closed by the next one", async (t) => {
  const { chat, world, session, say, asked } = await questionWorld(t, { replies: [T("rm -rf q"), DONE] });
  say().catch(() => undefined);
  const { request } = await asked();
  await world.reopen(session.id);
  assert.deepEqual(await world.chat.questions(session.id), []);
  await assert.rejects(chat.answerApproval(request, { answer: "once" }, "late"), { code: "E_ALREADY_RESOLVED" });
});

test("C28: where no one looks, what would ask is denied at once with the rule that would allow it", async (t) => {
  const { say, q } = await questionWorld(t, { replies: [T("rm -rf q"), DONE], open: { source: "cli" } });
  const { denied } = await say();
  assert.deepEqual(denied, [{ tool: "terminal", preview: "rm -rf q", rule_to_allow: "rm -rf q" }]);
  assert.ok(existsSync(q));
});

test("a one-shot that someone looks at asks that person", async (t) => {
  const { chat, session, say, asked, q } = await questionWorld(t, {
    replies: [T("rm -rf q"), DONE],
    open: { source: "cli" },
  });
  const looking = new AbortController();
  await chat.attach(session.id, looking.signal);
  const turn = say();
  await chat.answerApproval((await asked()).request, { answer: "once" }, "test");
  await turn;
  assert.ok(!existsSync(q));
  looking.abort();
});

for (const command of ["rm -rf /", "bash -c 'rm -rf /'", "true && sudo rm -rf /*"]) {
  test(`C27: ${command} is blocked with --yolo, and nothing ran`, async (t) => {
    const { say, results, q } = await questionWorld(t, {
      replies: [T(`touch ran; ${command}`), DONE],
      open: { yolo: true },
    });
    const [result] = await results(await say());
    const told = JSON.parse(result?.content ?? "{}") as Record<string, unknown>; // a result of terminal
    assert.deepEqual([told["status"], told["exit_code"]], ["blocked", -1]);
    assert.match(String(told["error"]), /^BLOCKED \(hardline\)/);
    assert.ok(!existsSync(join(q, "../ran")));
  });
}

test("C74: a rule that denies holds under --yolo", async (t) => {
  const { world, say, results } = await questionWorld(t, { replies: [T("git push"), DONE], open: { yolo: true } });
  writeFileSync(join(world.home.dir, "permissions.yaml"), "deny: [git push]\n");
  const [result] = await results(await say());
  assert.equal(result?.status, "denied");
});

test("C73: the allow list of a project counts after it was trusted, and the refusal before says so", async (t) => {
  const { chat, world, session, say, results } = await questionWorld(t, {
    replies: [T("npm publish --dry-run"), DONE, T("npm publish --dry-run"), DONE],
    open: { source: "cli" },
  });
  mkdirSync(join(world.work, ".agent"));
  writeFileSync(join(world.work, ".agent/permissions.yaml"), "allow: [npm publish]\n");
  const told: string[] = [];
  const untrusted = await chat.submit({ session: session.id, text: "do it", onNotice: ({ text }) => told.push(text) });
  const [first] = await results(untrusted);
  assert.equal(first?.status, "denied");
  assert.match(first?.content ?? "", /is not trusted/);
  assert.match(told.join("\n"), /permissions\.yaml is not trusted: its 1 allow rules do not count/);
  const place = { cwd: world.work, env: {}, session: session.id };
  assert.deepEqual(await chat.permissionTrust(place), ["npm publish"]);
  const { denied } = await say();
  assert.deepEqual(denied, []);
});

test("the rules of a project are offered for trust once, when the first question would be asked", async (t) => {
  const { chat, world, say, asked } = await questionWorld(t, { replies: [T("rm -rf q"), DONE] });
  mkdirSync(join(world.work, ".agent"));
  writeFileSync(join(world.work, ".agent/permissions.yaml"), "allow: [rm -rf q]\n");
  const turn = say();
  const trust = await asked();
  assert.deepEqual([trust.options, trust.rules], [["project", "deny"], { project: ["rm -rf q"] }]);
  await chat.answerApproval(trust.request, { answer: "project" }, "test");
  const { denied } = await turn;
  assert.deepEqual(denied, []);
  assert.ok(!existsSync(join(world.work, "q")));
});

test("what one command line allows holds for its turn alone, not for who has the conversation open", async (t) => {
  const { chat, session, say, asked, world, q } = await questionWorld(t, {
    replies: [T("touch here"), DONE, T("rm -rf q"), DONE, T("rm -rf q"), DONE],
  });
  await say();
  const options = { source: "cli" as const, cwd: world.work, env: {}, yolo: true };
  assert.equal((await chat.visit(session.id, options)).id, session.id);
  const { denied } = await chat.submit({ session: session.id, text: "go", options });
  assert.deepEqual([denied, existsSync(q)], [[], false], "it holds for that turn");
  const turn = say();
  await chat.answerApproval((await asked()).request, { answer: "deny" }, "test");
  assert.equal((await turn).denied.length, 1, "and not for the next one");
});

test("/yolo lets everything run for this session until it is turned off, and front ends hear of it", async (t) => {
  const { chat, session, say, asked, front, q } = await questionWorld(t, {
    replies: [T("rm -rf q"), DONE, T("rm -rf q"), DONE],
  });
  await chat.permissionSwitches(session.id, { yolo: true });
  await say();
  assert.ok(!existsSync(q));
  assert.ok(front.heard.some((event) => event.event === "session.info" && event.data["yolo"] === true));
  await chat.permissionSwitches(session.id, { yolo: false });
  const turn = say();
  await chat.answerApproval((await asked()).request, { answer: "deny" }, "test");
  await turn;
});

test("a rule file that cannot be read is reported with its line, and allows nothing", async (t) => {
  const { chat, world, session, results } = await questionWorld(t, {
    replies: [T("rm -rf q"), DONE],
    open: { source: "cli" },
  });
  writeFileSync(join(world.home.dir, "permissions.yaml"), "allow:\n- rm -rf q\n- {command: [1]}\n");
  const told: string[] = [];
  const result = await chat.submit({ session: session.id, text: "do it", onNotice: ({ text }) => told.push(text) });
  const [denied] = await results(result);
  assert.equal(denied?.status, "denied");
  assert.match(told.join("\n"), /permissions\.yaml:3: /);
});

test("what a child asks is shown where its parent is, and says whose it is", async (t) => {
  const delegate: Reply = {
    tool_calls: [{ name: "delegate_task", arguments: { goal: "remove q", toolsets: ["terminal"] } }],
  };
  const { chat, session, say, asked, front, q } = await questionWorld(t, {
    replies: [delegate, T("rm -rf q"), { text: "child is done" }, DONE],
  });
  const turn = say();
  const { request, command } = await asked();
  const [event] = front.heard.filter((one) => one.event === "approval.requested");
  assert.ok(event !== undefined);
  const { child, session_id } = event.data["origin"] as Record<string, string>; // an approval has one
  assert.deepEqual([command, event.session_id, session_id], ["rm -rf q", session.id, child]);
  assert.notEqual(child, session.id);
  await chat.answerApproval(request, { answer: "once" }, "test");
  await turn;
  assert.ok(!existsSync(q));
});

for (const [mode, runs] of [
  ["deny", false],
  ["approve", true],
] as const) {
  test(`a scheduled conversation with approvals.cron_mode ${mode} ${runs ? "runs" : "does not run"} what would be asked`, async (t) => {
    const { say, q } = await questionWorld(t, {
      replies: [T("rm -rf q"), DONE],
      config: `approvals:\n  cron_mode: ${mode}\n`,
      open: { source: "cron" },
    });
    await say();
    assert.equal(existsSync(q), !runs);
  });
}
