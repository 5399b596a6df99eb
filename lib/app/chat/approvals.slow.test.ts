import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DONE, questionWorld, T, W } from "../../../fixtures/sim/question-world.js";

test("once runs the call that was shown, and the next one asks again", async (t) => {
  const { chat, say, asked, q } = await questionWorld(t, { replies: [T("rm -rf q"), T("rm -rf q"), DONE] });
  const turn = say();
  const first = await asked();
  assert.equal(first.command, "rm -rf q");
  assert.deepEqual(first.options, ["once", "session", "project", "always", "deny"]);
  assert.deepEqual(
    first.reasons.map((reason) => reason.class),
    ["rm-recursive"],
  );
  assert.ok(existsSync(q), "nothing runs before the answer");
  await chat.answerApproval(first.request, { answer: "once" }, "test");
  const second = await asked();
  assert.ok(!existsSync(q));
  await chat.answerApproval(second.request, { answer: "deny", text: "not again" }, "test");
  const result = await turn;
  assert.equal(result.final_response, "done");
});

test("a denial goes to the model with its reason, and nothing runs", async (t) => {
  const { chat, say, asked, results, q } = await questionWorld(t, { replies: [T("rm -rf q"), DONE] });
  const turn = say();
  await chat.answerApproval((await asked()).request, { answer: "deny", text: "keep it" }, "test");
  const [result] = await results(await turn);
  assert.equal(result?.status, "denied");
  assert.match(result?.content ?? "", /Denied by the user: keep it Do not retry/);
  assert.ok(existsSync(q));
});

test("session stores the rule that was shown for the lineage, also after a restart", async (t) => {
  const { chat, world, session, say, asked } = await questionWorld(t, {
    replies: [T("rm -rf q"), T("rm -rf q"), DONE, T("rm -rf q"), DONE],
  });
  const turn = say();
  const first = await asked();
  assert.deepEqual(first.rules["session"], [
    `{command: rm, flags: [-r, -f], paths: [${join(world.work, "q")}, "${join(world.work, "q")}/**"]}`,
  ]);
  await chat.answerApproval(first.request, { answer: "session" }, "test");
  await turn;
  assert.deepEqual(await chat.questions(), []);
  await world.reopen(session.id);
  const again = await world.chat.submit({ session: session.id, text: "again" });
  assert.deepEqual(again.denied, []);
});

test("project writes exactly the rule that was shown, and trusts it", async (t) => {
  const { chat, world, say, asked } = await questionWorld(t, { replies: [T("rm -rf q/a q/b"), T("rm -rf q/c"), DONE] });
  const turn = say();
  const first = await asked();
  assert.deepEqual(first.rules["project"], ['{command: rm, flags: [-r, -f], paths: ["./q/**"]}']);
  await chat.answerApproval(first.request, { answer: "project" }, "test");
  await turn;
  const written = readFileSync(join(world.work, ".agent/permissions.yaml"), "utf8");
  assert.ok(written.includes(`- ${first.rules["project"]?.[0]}\n`), written);
  assert.deepEqual(await chat.questions(), []);
});

test("always writes into the user's file and keeps its comments", async (t) => {
  const { chat, world, say, asked } = await questionWorld(t, { replies: [T("npm publish"), T("true"), DONE] });
  const file = join(world.home.dir, "permissions.yaml");
  writeFileSync(file, "# mine\nversion: 1\ndeny:\n  - git push # never\n");
  const turn = say();
  const first = await asked();
  await chat.answerApproval(first.request, { answer: "always" }, "test");
  await turn;
  assert.equal(
    readFileSync(file, "utf8"),
    "# mine\nversion: 1\ndeny:\n  - git push # never\nallow:\n  - {command: npm publish, flags: [], paths: []}\n",
  );
});

test("a broken file is not overwritten: the answer is refused and the question stays open", async (t) => {
  const { chat, world, say, asked } = await questionWorld(t, { replies: [T("rm -rf q"), DONE] });
  const file = join(world.home.dir, "permissions.yaml");
  writeFileSync(file, "allow: [\n");
  const turn = say();
  const { request } = await asked();
  await assert.rejects(chat.answerApproval(request, { answer: "always" }, "test"), { code: "E_CONFIG" });
  assert.equal(readFileSync(file, "utf8"), "allow: [\n");
  await chat.answerApproval(request, { answer: "deny" }, "test");
  await turn;
});

test("edits can be allowed for the rest of the session", async (t) => {
  const { chat, say, asked, world } = await questionWorld(t, {
    replies: [W("a.txt"), W("b.txt"), DONE],
    config: "approvals:\n  edits: ask\n",
  });
  const turn = say();
  const question = await asked();
  assert.ok(question.options.includes("edits"));
  await chat.answerApproval(question.request, { answer: "edits" }, "test");
  await turn;
  assert.ok(existsSync(join(world.work, "a.txt")) && existsSync(join(world.work, "b.txt")));
});

test("C76: a write inside the project runs, one outside asks and shows what would change", async (t) => {
  const outside = "/srv/outside-of-every-project.txt"; // a checkout may itself lie in a temporary directory
  const { chat, world, say, asked } = await questionWorld(t, { replies: [W("a.txt"), W(outside, "new\n"), DONE] });
  const turn = say();
  const question = await asked();
  assert.ok(existsSync(join(world.work, "a.txt")));
  assert.deepEqual(
    question.reasons.map((reason) => reason.class),
    ["outside-write"],
  );
  assert.match(question.diff ?? "", /\+new/);
  await chat.answerApproval(question.request, { answer: "deny" }, "test");
  await turn;
  assert.ok(!existsSync(outside));
});

test("a wider rule is stored exactly as it was offered, and a width that was not offered is refused", async (t) => {
  const { chat, world, say, asked } = await questionWorld(t, { replies: [T("rm -rf q"), T("rm -rf other"), DONE] });
  const turn = say();
  const first = await asked();
  const rule = '{command: rm, flags: [-r, -f], paths: ["./**"]}';
  assert.deepEqual(first.wider, { directory: { ...first.wider?.["directory"], project: [rule] } });
  await assert.rejects(chat.answerApproval(first.request, { answer: "project", width: "arguments" }, "test"), {
    code: "E_INVALID",
  });
  await assert.rejects(chat.answerApproval(first.request, { answer: "once", width: "directory" }, "test"), {
    code: "E_INVALID",
  });
  await chat.answerApproval(first.request, { answer: "project", width: "directory" }, "test");
  assert.equal((await turn).final_response, "done");
  const written = readFileSync(join(world.work, ".agent/permissions.yaml"), "utf8");
  assert.equal(written, `version: 1\nallow:\n  - ${rule}\n`);
});

test("each part of a command line says why it needs permission", async (t) => {
  const { chat, say, asked } = await questionWorld(t, { replies: [T("ls && rm -rf q"), DONE] });
  const turn = say();
  const { request, segments } = await asked();
  assert.deepEqual(segments, [
    { argv: "ls" },
    { argv: "rm -rf q", class: "rm-recursive", why: "removes recursively or by wildcard" },
  ]);
  await chat.answerApproval(request, { answer: "deny" }, "test");
  await turn;
});
