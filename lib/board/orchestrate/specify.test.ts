import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { type Said, setupPlanner } from "../../../fixtures/sim/board-aux.js";
import { type BoardWorld, DEFAULT, USER } from "../../../fixtures/sim/board-world.js";
import type { NewTask } from "../../contracts/board/api.js";

const make = async (world: BoardWorld, more: Partial<NewTask> = {}) =>
  (await world.board.create(DEFAULT, { title: "idea", triage: true, ...more }, USER)).task.id;

const SPEC = JSON.stringify({ title: "Build the thing", body: "## Goal\n\nA thing." });

test("a rough idea becomes a specification and may start", async (t) => {
  proves(t, "board.specify.moves", "board.specify.events", "board.task.title");
  const { world, aux } = setupPlanner(t, { said: [SPEC] });
  const id = await make(world, { body: "old" });
  assert.deepEqual(await world.board.specify(DEFAULT, id, {}, USER), {
    task_id: id,
    ok: true,
    reason: "specified",
    new_title: "Build the thing",
  });
  const { task, comments, events } = await world.board.show(DEFAULT, id);
  assert.deepEqual(
    [task.title, task.body, task.status, task.assignee],
    ["Build the thing", "## Goal\n\nA thing.", "ready", null],
  );
  assert.equal(comments[0]?.text, "Specified — updated title, body and promoted to todo.");
  assert.deepEqual([comments[0]?.author, comments[0]?.author_kind], ["specifier", "system"]);
  const specified = events.find((event) => event.kind === "specified");
  assert.deepEqual(specified?.payload, {
    changed_fields: ["title", "body"],
    previous: { title: "idea", body: "old" },
    from: "triage",
    to: "todo",
  });
  assert.deepEqual(
    events.map((event) => event.kind),
    ["created", "commented", "specified", "promoted"],
  );
  const [question] = aux.questions;
  assert.deepEqual([question?.slot, question?.temperature, question?.maxOutputTokens], ["triage_specifier", 0.3, 6000]);
});

test("a specified task with an open parent waits in todo", async (t) => {
  const { world } = setupPlanner(t, { said: [SPEC] });
  const parent = await make(world, { triage: false });
  const id = await make(world, { parents: [parent] });
  await world.board.specify(DEFAULT, id, { author: "me" }, USER);
  const { task, comments } = await world.board.show(DEFAULT, id);
  assert.deepEqual([task.status, comments[0]?.author], ["todo", "me"]);
});

test("the model sees id, title, body and what people said, and nothing of what workers said", async (t) => {
  const { world, aux } = setupPlanner(t, { said: [SPEC] });
  const id = await make(world, { body: "b".repeat(20_000) });
  for (let n = 0; n < 12; n++) await world.board.comment(DEFAULT, id, `remark ${n} ${"x".repeat(3_000)}`, USER);
  await world.board.comment(DEFAULT, id, "from a program", { kind: "agent", name: "bot" });
  await world.board.specify(DEFAULT, id, {}, USER);
  const user = aux.questions[0]?.user ?? "";
  assert.ok(user.includes(id) && user.includes("Title: idea"));
  assert.ok(user.includes(`${"b".repeat(16_000)} [cut]`) && !user.includes("b".repeat(16_001)));
  assert.ok(!user.includes("remark 1 ") && user.includes("remark 2 ") && user.includes("remark 11 "));
  assert.ok(!user.includes("from a program") && !user.includes("x".repeat(2_049)));
  const bare = await make(world);
  await world.board.specify(DEFAULT, bare, {}, USER);
  assert.ok(aux.questions[1]?.user.includes("(no body)"));
});

/** Given task, answer of the model; expected outcome and texts. */
const ANSWERS = [
  {
    name: "prose, no body",
    body: undefined,
    answer: "Just do it.",
    title: "idea",
    text: "Just do it.",
    new_title: null,
  },
  {
    name: "prose, a body",
    body: "old",
    answer: "Do it.",
    title: "idea",
    text: "Do it.\n\n## Original request\n\nold",
    new_title: null,
  },
  {
    name: "broken JSON",
    body: undefined,
    answer: '{"title": "x"',
    title: "idea",
    text: '{"title": "x"',
    new_title: null,
  },
  { name: "a list", body: undefined, answer: "[1, 2]", title: "idea", text: "[1, 2]", new_title: null },
  {
    name: "a fence",
    body: "old",
    answer: '```json\n{"title": "T", "body": "B"}\n```',
    title: "T",
    text: "B",
    new_title: "T",
  },
  {
    name: "prose with braces around a fence",
    body: "old",
    answer: 'So {here}:\n```json\n{"title": "T"}\n```\n{done}',
    title: "T",
    text: "old",
    new_title: "T",
  },
  {
    name: "prose around an object",
    body: "old",
    answer: 'Sure! {"body": "B"} Enjoy.',
    title: "idea",
    text: "B",
    new_title: null,
  },
  {
    name: "only a title",
    body: "old",
    answer: '{"title": "  New\\n  one "}',
    title: "New one",
    text: "old",
    new_title: "New one",
  },
  {
    name: "a title of another type",
    body: "old",
    answer: '{"title": 7, "body": "B"}',
    title: "idea",
    text: "B",
    new_title: null,
  },
  {
    name: "a nested body",
    body: "old",
    answer: '{"title": "T", "body": {"goal": "x"}}',
    title: "T",
    text: "old",
    new_title: "T",
  },
  {
    name: "a huge title",
    body: "old",
    answer: JSON.stringify({ title: "é".repeat(900) }),
    title: "é".repeat(300),
    text: "old",
    new_title: "é".repeat(300),
  },
  {
    name: "a code block in the body",
    body: undefined,
    answer: JSON.stringify({ body: "```\ncode\n```" }),
    title: "idea",
    text: "```\ncode\n```",
    new_title: null,
  },
] as const;

for (const { name, body, answer, title, text, new_title } of ANSWERS) {
  test(`specifying with an answer that is ${name} applies what can be used`, async (t) => {
    if (name.startsWith("prose, no")) proves(t, "board.specify.malformed");
    const { world } = setupPlanner(t, { said: [answer] });
    const id = await make(world, { body });
    const outcome = await world.board.specify(DEFAULT, id, {}, USER);
    assert.deepEqual(outcome, { task_id: id, ok: true, reason: "specified", new_title });
    const task = await world.board.task(DEFAULT, id);
    assert.deepEqual([task.title, task.body, task.status], [title, text, "ready"]);
  });
}

/** What goes wrong, and the reason that is told. Nothing changes. */
const FAILURES = [
  { name: "an object without texts", said: "{}", reason: "LLM response missing title and body" },
  { name: "blank texts", said: '{"title": " ", "body": ""}', reason: "LLM response missing title and body" },
  {
    name: "texts under __proto__",
    said: '{"__proto__": {"title": "x"}}',
    reason: "LLM response missing title and body",
  },
  { name: "nothing", said: "  \n ", reason: "LLM returned an empty response" },
  {
    name: "a refused key",
    said: { ok: false, why: "failed", class: "auth", message: "no" },
    reason: "LLM error: auth",
  },
  { name: "no model by then", said: { ok: false, why: "none" }, reason: "no auxiliary client configured" },
] as const;

for (const { name, said, reason } of FAILURES) {
  test(`specifying with an answer that is ${name} is a failure with a reason, and changes nothing`, async (t) => {
    if (name === "a refused key") proves(t, "board.specify.never-raises");
    const { world } = setupPlanner(t, { said: [said] });
    const id = await make(world);
    const before = JSON.stringify(await world.board.show(DEFAULT, id));
    assert.deepEqual(await world.board.specify(DEFAULT, id, {}, USER), {
      task_id: id,
      ok: false,
      reason,
      new_title: null,
    });
    assert.equal(JSON.stringify(await world.board.show(DEFAULT, id)), before);
  });
}

test("an id, a status and a missing client are told in this order, without asking anyone", async (t) => {
  const { world, aux } = setupPlanner(t, { said: [SPEC] });
  const reason = async (id: string) => (await world.board.specify(DEFAULT, id as never, {}, USER)).reason;
  assert.equal(await reason("t_00000000"), "unknown task id");
  aux.client = "none";
  const done = await make(world, { triage: false });
  assert.equal(await reason(done), "task is not in triage (status='ready')");
  const id = await make(world);
  assert.equal(await reason(id), "no auxiliary client configured");
  aux.client = "broken";
  assert.equal(await reason(id), "auxiliary client unavailable");
  assert.equal(aux.questions.length, 0);
});

test("an answer that comes after the task moved or was edited is not applied", async (t) => {
  proves(t, "board.specify.never-raises");
  const { world, aux } = setupPlanner(t);
  const id = await make(world);
  aux.say(async () => {
    const store = await world.store();
    await store.write("test.edit", (tx) => tx.run("UPDATE tasks SET title = 'other' WHERE id = ?", [id]));
    return { ok: true, text: SPEC };
  });
  assert.equal((await world.board.specify(DEFAULT, id, {}, USER)).reason, "task changed while the model was working");
  aux.say(async () => {
    await world.board.archive(DEFAULT, id, USER);
    return { ok: true, text: SPEC };
  });
  assert.equal((await world.board.specify(DEFAULT, id, {}, USER)).reason, "task moved out of triage before promotion");
  assert.deepEqual(
    [(await world.board.task(DEFAULT, id)).title, (await world.board.task(DEFAULT, id)).status],
    ["other", "archived"],
  );
});

test("a task has one operation at a time, and a board three", async (t) => {
  const { world, aux } = setupPlanner(t);
  const go: (() => void)[] = [];
  aux.say(() => new Promise((resolve) => go.push(() => resolve({ ok: true, text: SPEC }))));
  const ids = [await make(world), await make(world), await make(world), await make(world)] as const;
  const running = ids.slice(0, 3).map((id) => world.board.specify(DEFAULT, id, {}, USER));
  await aux.asked(3);
  assert.equal((await world.board.decompose(DEFAULT, ids[0], {}, USER)).reason, "already in progress");
  assert.equal((await world.board.specify(DEFAULT, ids[3], {}, USER)).reason, "too many model calls in progress");
  for (const release of go) release();
  assert.ok((await Promise.all(running)).every((outcome) => outcome.ok));
  aux.say(SPEC);
  assert.ok((await world.board.specify(DEFAULT, ids[3], {}, USER)).ok);
});

test("the answer budget of the specifier follows its variable, down to a floor", async (t) => {
  for (const [given, tokens] of [
    ["9000", 9000],
    ["10", 1500],
    ["many", 6000],
    ["", 6000],
  ] as const) {
    const { world, aux } = setupPlanner(t, { said: [SPEC], deps: { env: { AGENT_KANBAN_SPECIFY_MAX_TOKENS: given } } });
    await world.board.specify(DEFAULT, await make(world), {}, USER);
    assert.equal(aux.questions[0]?.maxOutputTokens, tokens);
  }
});

test("whoever stops the question, and an owner that stops, leave the task as it was", async (t) => {
  const { world, aux } = setupPlanner(t);
  const waiting: Said = (_question, signal) =>
    new Promise((resolve) => {
      const aborted = { ok: false, why: "failed", class: "aborted", message: "" } as const;
      signal?.addEventListener("abort", () => resolve(aborted), { once: true });
    });
  aux.say(waiting);
  const id = await make(world);
  const before = JSON.stringify(await world.board.show(DEFAULT, id));
  const stop = new AbortController();
  const stopped = world.board.specify(DEFAULT, id, { signal: stop.signal }, USER);
  await aux.asked(1);
  stop.abort();
  assert.equal((await stopped).reason, "LLM error: aborted");
  const ended = world.board.decompose(DEFAULT, id, {}, USER);
  await aux.asked(2);
  world.board.endPlanning();
  assert.equal((await ended).reason, "LLM error: aborted");
  assert.equal(JSON.stringify(await world.board.show(DEFAULT, id)), before);
});
