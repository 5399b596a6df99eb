import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { type ActorOwner, actorOwner, type Watched } from "../../../fixtures/worlds/actor-owner.js";
import type { TurnResult } from "../../contracts/chat/chat.js";
import type { GoalRecord } from "../../contracts/chat/goal.js";
import type { Goals } from "./goal-engine.js";
import { createGoalLoop } from "./goal-loop.js";

const NOT_YET: Reply = { text: '{"done": false, "reason": "one is missing"}' };
const MET: Reply = { text: '```json\n{"done": "yes", "reason": "all are there"}\n```' };
const BROKEN: Reply = { status: 401, body: { error: { message: "no judge today" } } };

async function begin(t: TestContext, judge: readonly Reply[], config = "") {
  const script = { replies: [{ text: "worked on it" }], auxiliary: judge };
  const owner = await actorOwner(t, { model: { script }, config });
  const { id } = await owner.session({ title: "titled, so that nobody asks for one" });
  return { owner, id, watched: await owner.watch(id) };
}

const goalNow = (owner: ActorOwner, id: Parameters<ActorOwner["watch"]>[0]) => owner.chat.goal(id);
const status = (watched: Watched, wanted: GoalRecord["status"], reason?: string) =>
  watched.until(
    ({ event, data }) =>
      event === "goal.changed" && data["status"] === wanted && (!reason || data["paused_reason"] === reason),
  );
const lines = ({ seen }: Watched): unknown[] =>
  seen.filter(({ data }) => data["code"] === "goal").map(({ data }) => data["text"]);

test("C61: a goal whose judge cannot be reached takes its budget of continuations and rests; resuming begins again", async (t) => {
  proves(t, "goal.start", "goal.resume");
  const { owner, id, watched } = await begin(t, [BROKEN], "goals:\n  max_turns: 2\n");
  await owner.call("goal.set", { session_id: id, text: "all five files are there" });
  await status(watched, "paused", "budget");
  const { turns_used, max_turns, judge_failures } = (await goalNow(owner, id)) ?? {};
  assert.deepEqual([turns_used, max_turns, judge_failures], [2, 2, 3]);
  assert.equal(owner.model.chats().length, 3, "the message and two continuations");
  const warning = await watched.until(({ data }) => data["code"] === "goal_judge"); // told behind the goal
  assert.match(String(warning.data["text"]), /3 times in a row.*no judge today/);
  assert.match(String(lines(watched).at(-1)), /^⏸ Goal paused - 2\/2 turns used\. \/goal resume continues\.$/);
  watched.forget();
  const resumed = await owner.call<GoalRecord>("goal.resume", { session_id: id });
  assert.deepEqual([resumed.status, resumed.turns_used], ["active", 0]);
  await status(watched, "paused", "budget");
  assert.equal(owner.model.chats().length, 6);
});

test("C62: a message that comes while a goal goes on runs before its next step, and the judge looks after it", async (t) => {
  proves(t, "goal.preempted");
  const { owner, id, watched } = await begin(t, [{ ...NOT_YET, hold: "judge" }, MET]);
  await owner.call("goal.set", { session_id: id, text: "it is done" });
  await owner.model.asked(1);
  await owner.call("turn.submit", { session_id: id, text: "a word of mine" });
  await owner.model.arrived(2);
  owner.model.release("judge");
  await status(watched, "done");
  assert.deepEqual(
    owner.said().map((words) => words.at(-1)),
    ["user: it is done", "user: a word of mine"],
  );
  assert.equal((await goalNow(owner, id))?.turns_used, 0, "turns of the user do not count");
});

test("C62: a step of a goal that waits in the queue comes behind a message", async (t) => {
  const { owner, id, watched } = await begin(t, [NOT_YET, MET]);
  await owner.call("goal.set", { session_id: id, text: "it is done" });
  await status(watched, "active", undefined);
  await owner.chat.queueAdd(id, { text: "a message", kind: "message", source: "workspace" });
  await status(watched, "done");
  const said = owner.said().map((words) => words.at(-1));
  assert.equal(said.filter((one) => one === "user: a message").length, 1);
});

test("a goal that is met is done, and says what shows it", async (t) => {
  const { owner, id, watched } = await begin(t, [NOT_YET, MET]);
  await owner.call("goal.set", { session_id: id, text: "all files are there" });
  await watched.until(({ data }) => String(data["text"]).startsWith("✓"));
  assert.deepEqual(lines(watched), [
    "↻ Continuing toward goal (1/20): one is missing",
    "✓ Goal achieved: all are there",
  ]);
  assert.match(owner.said()[1]?.at(-1) ?? "", /^user: \[Continuing toward your standing goal\]\n\nall files are there/);
});

test("an interrupt pauses the goal, and its next step does not come", async (t) => {
  proves(t, "goal.pause");
  const script = { replies: [{ hold: "never" } as const], auxiliary: [NOT_YET] };
  const owner = await actorOwner(t, { model: { script } });
  const { id } = await owner.session();
  const watched = await owner.watch(id);
  await owner.call("goal.set", { session_id: id, text: "it is done" });
  await owner.model.arrived(1);
  await owner.call("turn.interrupt", { session_id: id });
  await status(watched, "paused", "interrupt");
  assert.deepEqual(await owner.chat.queue(id), { items: [], paused: false });
});

test("a goal is paused, resumed and cleared by hand; a new one takes the place of the old", async (t) => {
  proves(t, "goal.clear");
  const { owner, id, watched } = await begin(t, [{ ...NOT_YET, hold: "judge" }]);
  await owner.call("goal.set", { session_id: id, text: "the first" });
  await owner.model.asked(1);
  const paused = await owner.call<GoalRecord>("goal.pause", { session_id: id });
  assert.deepEqual([paused.status, paused.paused_reason], ["paused", "user"]);
  await assert.rejects(owner.call("goal.pause", { session_id: id }), { code: "E_STATE" });
  const { replaced } = await owner.call<{ replaced: GoalRecord }>("goal.set", { session_id: id, text: "the second" });
  assert.equal(replaced.goal, "the first");
  await owner.model.asked(2);
  assert.deepEqual(await owner.call("goal.clear", { session_id: id }), { cleared: true });
  assert.equal(await owner.call("goal.get", { session_id: id }), null);
  assert.deepEqual(await owner.call("goal.clear", { session_id: id }), { cleared: false });
  assert.equal(watched.seen.filter(({ event }) => event === "turn.ended").length, 2);
});

test("a goal is refused while a turn runs, and when it is empty or too long", async (t) => {
  const owner = await actorOwner(t, { model: { script: { replies: [{ hold: "never" }] } } });
  const { id } = await owner.session();
  for (const text of ["  ", "x".repeat(4_001)])
    await assert.rejects(owner.call("goal.set", { session_id: id, text }), { code: "E_INVALID" });
  await owner.call("turn.submit", { session_id: id, text: "go" });
  await assert.rejects(owner.call("goal.set", { session_id: id, text: "later" }), { code: "E_STATE" });
});

test("criteria are numbered, at most 20, and go to the judge", async (t) => {
  const { owner, id, watched } = await begin(t, [{ ...MET, hold: "judge" }]);
  const change = (params: object) => owner.call<GoalRecord>("goal.subgoal", { session_id: id, ...params });
  await assert.rejects(change({ do: "add", text: "x" }), { code: "E_NOT_FOUND" });
  await owner.call("goal.set", { session_id: id, text: "it is done" });
  for (let n = 1; n <= 20; n++) await change({ do: "add", text: `criterion ${n}` });
  await assert.rejects(change({ do: "add", text: "one more" }), { code: "E_INVALID" });
  assert.equal((await change({ do: "remove", n: 1 })).subgoals[0], "criterion 2");
  await assert.rejects(change({ do: "remove", n: 20 }), { code: "E_INVALID" });
  owner.model.release("judge");
  await status(watched, "done");
  assert.equal((await change({ do: "clear" })).subgoals.length, 0);
});

test("a judgement that gave way to a compaction is taken again, and the goal goes on", async (t) => {
  const { owner, id, watched } = await begin(t, [{ ...NOT_YET, hold: "judge" }, MET]);
  await owner.call("goal.set", { session_id: id, text: "it is done" });
  await owner.model.asked(1);
  await assert.rejects(owner.chat.compact(id), { code: "E_STATE" }); // there is too little, which is not the goal's fault
  await status(watched, "done");
});

test("whoever waits for the judgements waits for one that gave way too", async () => {
  let end: (judgement: undefined) => void = () => undefined;
  const judged = new Promise<undefined>((resolve) => {
    end = resolve;
  });
  const goals = { judge: () => judged } as unknown as Goals; // nothing else of them is reached
  const loop = createGoalLoop({
    goals: () => goals,
    decide: (work) => work(),
    mayContinue: async () => true,
    goOn: async () => undefined,
    failed: (error) => assert.fail(error),
  });
  loop.judge({} as TurnResult); // handed on unread
  loop.giveWay();
  let idle = false;
  const waiting = loop.idle().then(() => {
    idle = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(idle, false);
  end(undefined);
  await waiting;
});
