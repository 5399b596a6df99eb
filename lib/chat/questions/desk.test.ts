import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { openFileStore } from "../../../storage/file/open.js";
import { sessionMigrations } from "../../../storage/schema/sessions.js";
import * as lineage from "../../../storage/tables/sessions/lineage.js";
import { randomIds } from "../../base/ids.js";
import { silentLog } from "../../base/log/log.js";
import { createSessions } from "../sessions/sessions.js";
import { createAsker } from "./asker.js";
import { createDesk, type NewQuestion, type QuestionOptions } from "./desk.js";
import { closeLeftQuestions } from "./ledger.js";

const ASKED: NewQuestion = {
  kind: "approval",
  data: {
    kind: "command",
    tool: "terminal",
    call_id: "c",
    command: "rm x",
    cwd: "/",
    segments: [],
    reasons: [],
    options: ["once", "deny"],
    rules: {},
  },
};
const HIDDEN: NewQuestion = { kind: "password", data: { prompt: "Password of sudo" } };

async function setup(t: TestContext) {
  const clock = manualClock();
  const store = openFileStore(
    { name: "sessions", path: "", kind: "sessions", migrations: sessionMigrations },
    { host: "inline", memory: true, clock, log: silentLog },
  );
  t.after(() => store.close());
  const sessions = createSessions({ store, clock, ids: randomIds });
  const input = { source: "workspace", cwd: "/", profile: "default", model: "m", provider: "p" };
  const session = await sessions.create(input);
  const other = await sessions.create(input);
  const lineageOf = async (id: typeof session.id) => (await sessions.get(id))?.lineage_root;
  const desk = createDesk({
    clock,
    ids: randomIds,
    log: silentLog,
    kept: async () => store,
    store: async () => store,
    lineageOf,
  });
  const control = new AbortController();
  const place = { session, turn: null, origin: { session_id: session.id, profile: "default" } };
  const ask = (question: NewQuestion = ASKED, how: Partial<QuestionOptions> = {}) =>
    desk.ask(place, question, { signal: control.signal, timeoutMs: 300_000, waits: true, ...how });
  const only = async () => {
    const [one] = await desk.questions(session.id);
    assert.ok(one !== undefined);
    return one;
  };
  const events = async () => {
    await desk.stop();
    return (await store.events(0, 100)).filter((event) => /requested|resolved/.test(event.kind));
  };
  return { clock, store, desk, session, other, control, ask, only, events };
}

test("an open question is told to anyone who comes later, for its lineage alone", async (t) => {
  const { desk, ask, only, session, other } = await setup(t);
  const answered = ask();
  const question = await only();
  assert.deepEqual([question.session_id, question.kind, question.data], [session.id, "approval", ASKED.data]);
  assert.deepEqual(await desk.questions(other.id), []);
  await desk.answerApproval(question.request, { answer: "once" }, "workspace");
  assert.deepEqual(await answered, { answered: true, answer: "once", by: "workspace" });
});

test("silence closes a question when its time is over", async (t) => {
  const { clock, ask, desk, events } = await setup(t);
  const answered = ask(ASKED, { timeoutMs: 1_000 });
  clock.advance(999);
  assert.equal((await desk.questions()).length, 1);
  clock.advance(1);
  assert.deepEqual(await answered, { answered: false, why: "timeout", by: "timeout" });
  assert.deepEqual(
    (await events()).map((event) => event.kind),
    ["approval.requested", "approval.resolved"],
  );
});

test("looking at an approval begins its time again, and a key pressed at a clarification ends its time", async (t) => {
  const { clock, ask, desk, only } = await setup(t);
  const first = ask(ASKED, { timeoutMs: 1_000 });
  clock.advance(900);
  const until = await desk.touch((await only()).request);
  assert.equal(until, clock.now() + 1_000);
  assert.equal((await only()).expires_at, until);
  clock.advance(900);
  assert.equal((await desk.questions()).length, 1);
  clock.advance(100);
  await first;
  const second = ask({ kind: "clarify", data: { question: "?", choices: [] } }, { timeoutMs: 1_000 });
  const { request } = await only();
  assert.equal(await desk.touch(request), null);
  clock.advance(100_000);
  await desk.answerClarify(request, "yes", "workspace");
  assert.deepEqual(await second, { answered: true, answer: "yes", by: "workspace" });
});

test("a password goes to anyone who asked and nowhere else", async (t) => {
  const { store, session, ask, desk, only, events } = await setup(t);
  const answered = ask(HIDDEN);
  const { request } = await only();
  await desk.answerHidden("password", request, "hunter2-hunter2", "workspace");
  assert.deepEqual(await answered, { answered: true, answer: "hunter2-hunter2", by: "workspace" });
  const told = await events();
  assert.deepEqual(told.at(-1)?.payload, { request, by: "workspace" });
  const record = await store.read((q) => lineage.get(q, session.lineage_root, "questions"));
  assert.ok(!JSON.stringify([told, record]).includes("hunter2"));
});

test("an answer of another kind, one that is not offered, and one to a question that never was are refused", async (t) => {
  const { ask, desk, only } = await setup(t);
  const answered = ask();
  const { request } = await only();
  await assert.rejects(desk.answerClarify(request, "x", "workspace"), { code: "E_NOT_FOUND" });
  await assert.rejects(desk.answerApproval(request, { answer: "always" }, "workspace"), { code: "E_INVALID" });
  await assert.rejects(desk.answerApproval("q_none", { answer: "once" }, "workspace"), { code: "E_NOT_FOUND" });
  await desk.answerApproval(request, { answer: "deny" }, "workspace");
  await answered;
});

test("no one is asked where no one looks, unless the question waits for someone to come back", async (t) => {
  const { ask, desk, session, only } = await setup(t);
  assert.deepEqual(await ask(ASKED, { waits: false }), { answered: false, why: "nobody", by: "nobody" });
  const front = new AbortController();
  await desk.attach(session.id, front.signal);
  const answered = ask(ASKED, { waits: false });
  await desk.answerApproval((await only()).request, { answer: "once" }, "workspace");
  await answered;
  front.abort();
  assert.deepEqual(await ask(ASKED, { waits: false }), { answered: false, why: "nobody", by: "nobody" });
});

test("two open questions are answered each by its id, the oldest first in the list", async (t) => {
  const { ask, desk } = await setup(t);
  const both = [ask(), ask()] as const;
  const [first, second] = await desk.questions();
  assert.ok(first !== undefined && second !== undefined);
  await desk.answerApproval(second.request, { answer: "deny" }, "workspace");
  assert.equal((await both[1]).answered, true);
  assert.deepEqual(
    (await desk.questions()).map((one) => one.request),
    [first.request],
  );
  await desk.answerApproval(first.request, { answer: "once" }, "workspace");
  await both[0];
});

test("what an owner that died has left open is closed, with an event, once", async (t) => {
  const { clock, store, ask, only, desk } = await setup(t);
  const lost = ask();
  const { request } = await only();
  await desk.stop();
  assert.equal(await closeLeftQuestions(store, clock), 1);
  assert.equal(await closeLeftQuestions(store, clock), 0);
  await desk.answerApproval(request, { answer: "deny" }, "test");
  await lost;
  const last = (await store.events(0, 100)).findLast((event) => event.payload["by"] === "owner stopped");
  assert.deepEqual(
    [last?.kind, last?.payload],
    ["approval.resolved", { request, answer: "deny", by: "owner stopped", why: "owner stopped" }],
  );
});

test("the time that people take is counted once, however many questions are open", async (t) => {
  const { clock, desk, session, control, only } = await setup(t);
  const asker = createAsker({ desk, clock, session: () => session, waits: true, live: () => undefined });
  const how = { signal: control.signal, turn: undefined, timeoutMs: 0 };
  const both = [asker.ask(ASKED, how), asker.ask(ASKED, how)] as const;
  clock.advance(5_000);
  assert.equal(asker.waited(), 5_000);
  await desk.answerApproval((await only()).request, { answer: "once" }, "workspace");
  clock.advance(1_000);
  await desk.answerApproval((await only()).request, { answer: "once" }, "workspace");
  await Promise.all(both);
  clock.advance(9_000);
  assert.equal(asker.waited(), 6_000);
});

const FORM: NewQuestion = {
  kind: "form",
  data: {
    title: "Release",
    from: "mcp:ci",
    message: "Which one?",
    fields: [
      { name: "tag", label: "Tag", type: "text", required: true, min_length: 2 },
      { name: "dry", label: "Dry run", type: "boolean", required: false, default: true },
    ],
  },
};

test("a form is answered once its content passes the owner's check, with defaults; before, it stays open", async (t) => {
  const { ask, desk, only, events } = await setup(t);
  const answered = ask(FORM);
  const { request } = await only();
  const refused = desk.answerForm(request, { action: "accept", content: { tag: "x", dry: "no" } }, "workspace");
  await assert.rejects(refused, {
    code: "E_INVALID",
    message: "tag: at least 2 characters",
    data: { request, faults: { tag: "at least 2 characters", dry: "must be yes or no" } },
  });
  await desk.answerForm(request, { action: "accept", content: { tag: "v1" } }, "workspace");
  const content = { tag: "v1", dry: true };
  assert.deepEqual(await answered, { answered: true, answer: "accept", content, by: "workspace" });
  const told = await events();
  assert.deepEqual(told.at(-1)?.payload, { request, answer: "accept", by: "workspace" });
  assert.deepEqual(told.at(-1)?.kind, "form.resolved");
  await assert.rejects(desk.answerForm(request, { action: "decline" }, "chat"), { code: "E_ALREADY_RESOLVED" });
});

test("a form that is declined or cancelled gives its asker no content", async (t) => {
  const { ask, desk, only } = await setup(t);
  for (const action of ["decline", "cancel"] as const) {
    const answered = ask(FORM);
    await desk.answerForm((await only()).request, { action, content: { tag: "v1" } }, "dashboard");
    assert.deepEqual(await answered, { answered: true, answer: action, by: "dashboard" });
  }
});
