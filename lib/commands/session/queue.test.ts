import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { type ActorOwner, actorOwner } from "../../../fixtures/worlds/actor-owner.js";
import type { SlashAnswer } from "../../contracts/chat/slash.js";

async function begin(
  t: TestContext,
  replies: readonly Reply[] = [{ hold: "first", text: "done" }, { text: "heard" }],
  auxiliary: Reply[] = [],
) {
  const owner = await actorOwner(t, { model: { script: { replies, auxiliary } } });
  const { id } = await owner.session();
  const watched = await owner.watch(id);
  const say = (text: string) => owner.call<SlashAnswer>("command.run", { text, session_id: id, data: true });
  const told = async (text: string) => (await say(text)).text;
  return { owner, id, watched, say, told };
}

async function busy(owner: ActorOwner, id: Parameters<ActorOwner["watch"]>[0]): Promise<void> {
  await owner.call("turn.submit", { session_id: id, text: "go" });
  await owner.model.arrived(1);
}

test("/queue shows, adds, edits, moves, removes and sends what waits, by its numbers", async (t) => {
  const { owner, id, watched, told } = await begin(t);
  assert.equal(await told("/queue"), "The queue is empty.");
  await busy(owner, id);
  assert.equal(await told("/queue one message, with 'quotes and --dashes"), "Queued at position 1 of 1.");
  assert.equal(await told("/q two"), "Queued at position 2 of 2.");
  assert.equal(await told("/queue list"), "1. one message, with 'quotes and --dashes\n2. two");
  assert.equal(await told("/queue edit 1 one"), "1. one\n2. two");
  assert.equal(await told("/queue move 2 1"), "1. two\n2. one");
  assert.equal(await told("/queue rm 2"), "1. two");
  assert.match(await told("/queue rm 7"), /no item 7; the queue has 1/);
  await told("/queue send 1");
  await watched.until(() => watched.seen.filter(({ event }) => event === "turn.ended").length === 2);
  assert.equal(owner.said().at(-1)?.at(-1), "user: go\n\ntwo");
});

test("/stop interrupts, and the queue says that it is paused and how it goes on", async (t) => {
  const { owner, id, watched, told } = await begin(t);
  assert.equal(await told("/stop"), "Nothing was running.");
  await busy(owner, id);
  await told("/queue later");
  assert.equal(await told("/stop"), "interrupting the turn.");
  await watched.until(({ event, data }) => event === "queue.changed" && data["paused"] === true);
  assert.equal(await told("/queue"), "1. later\nThe queue is paused; /queue send or your next message resumes it.");
  assert.match(await told("/sto"), /Type \/stop in full/);
});

test("/steer and /busy say what becomes of a message", async (t) => {
  const { owner, id, told } = await begin(t);
  assert.match(await told("/steer"), /missing message/);
  assert.equal(
    await told("/busy"),
    "auto: a message sent during a turn waits in the queue (on messaging platforms it interrupts).",
  );
  await busy(owner, id);
  assert.match(await told("/steer use the other file"), /^The running turn receives this with its next tool result/);
  assert.equal(
    await told("/busy interrupt"),
    "interrupt: a message sent during a turn interrupts the turn and runs next.",
  );
  assert.match(await told("/busy loudly"), /usage error/);
});

test("/agents tells what runs, and ends one of it", async (t) => {
  const server = { name: "terminal", arguments: { command: "sleep 600", background: true } };
  const { owner, id, watched, told } = await begin(t, [{ tool_calls: [server] }, { hold: "never" }]);
  assert.equal(await told("/agents"), "Nothing is running.");
  await owner.call("turn.submit", { session_id: id, text: "serve" });
  await owner.model.arrived(2);
  const lines = (await told("/agents")).split("\n");
  assert.match(lines[0] ?? "", new RegExp(`^turn ${id} {2}waiting_model`));
  const process = /^process (\S+) {2}pid \d+ {2}sleep 600$/.exec(lines[1] ?? "")?.[1];
  assert.ok(process, lines[1]);
  assert.equal(await told(`/agents stop ${process}`), `Stopping ${process}.`);
  assert.equal(await told(`/agents stop ${id}`), `Stopping ${id}.`);
  await watched.until(({ event }) => event === "turn.ended");
  assert.match(await told("/agents stop nobody"), /unknown activity nobody/);
});

test("/goal and /subgoal tell how far a goal is, in one line and its criteria", async (t) => {
  const judge: Reply = { text: '{"done": false, "reason": "two are missing"}', hold: "judge" };
  const { owner, watched, told } = await begin(t, [{ text: "worked" }], [judge]);
  assert.equal(await told("/goal"), "No active goal. Set one with /goal <text>.");
  assert.equal(await told("/subgoal more"), "agent: No active goal. Set one with /goal <text>.");
  assert.equal(await told("/goal five files are there"), "⊙ Goal (active, 0/20 turns): five files are there");
  await owner.model.asked(1);
  assert.equal(
    await told("/subgoal none is empty"),
    "⊙ Goal (active, 0/20 turns, 1 subgoal): five files are there\n  1. none is empty",
  );
  assert.equal(await told("/goal pause"), "⏸ Goal (paused, 0/20 turns - user): five files are there");
  assert.match(await told("/goal another"), /^The earlier goal is replaced: five files are there\n⊙ Goal/);
  await watched.until(() => watched.seen.filter(({ event }) => event === "turn.ended").length === 2);
  assert.equal(await told("/goal clear"), "Goal cleared.");
});

test("/background asks beside the conversation, and its answer is posted here without the model reading it", async (t) => {
  const { owner, id, watched, told } = await begin(t, [{ text: "answer one" }, { text: "answer two" }]);
  const session = /^Asked in (\S+); the answer will be posted here\.$/.exec(await told("/btw what is the time"))?.[1];
  const { data } = await watched.until(({ data: { code } }) => code === "background");
  assert.equal(data["text"], `Background ${session}: answer one`);
  await owner.call("turn.submit", { session_id: id, text: "hello" });
  await watched.until(({ event }) => event === "turn.ended");
  assert.deepEqual(owner.said(), [["user: what is the time"], ["user: hello"]]);
});
