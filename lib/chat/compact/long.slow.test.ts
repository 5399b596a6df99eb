import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply, ScriptRequest } from "../../../fixtures/servers/model/script.js";
import { called, growingChat, mainRequests, said, summaries, textOf } from "../../../fixtures/sim/growing-chat.js";
import { set } from "../../../storage/tables/sessions/lineage.js";
import type { EpochMs } from "../../base/units.js";

const TURNS = 400;
/** Turns in which the user says something that matters later. */
const FACTS = [0, 7, 60, 133, 201, 290, 377];
const fact = (turn: number) => `FACT city${turn} is called Zebra${turn * 7}`;
const FILLER = "Some words that fill the conversation without telling anything new. ".repeat(5);

const contents = ({ messages }: ScriptRequest): string =>
  messages.map(({ content }) => (typeof content === "string" ? content : "")).join("\n");

/** A model that can do nothing but what a summary is for: it keeps the facts that it is shown. */
function summariser(request: ScriptRequest): Reply {
  const facts = [...new Set(contents(request).match(/FACT city\d+ is called Zebra\d+/g) ?? [])];
  return { text: `## Critical Context\n${facts.join("\n")}` };
}

test("a session of 400 turns survives three compactions with everything a checker asks for afterwards", async (t) => {
  const counted = (request: ScriptRequest) => Math.ceil(contents(request).length / 4) + 2_500;
  const { server, world, session } = await growingChat(t, {
    answer: (request, turn) => {
      const tool = request.messages.at(-1)?.role === "tool";
      return turn % 9 === 4 && !tool
        ? called(counted(request), "todo")
        : said(`Noted ${turn}. ${FILLER}`, counted(request));
    },
    sideAnswer: summariser,
    window: 32_000,
  });
  const standing = {
    goal: "map the country",
    status: "paused",
    subgoals: ["every city"],
    turns_used: 0,
    max_turns: 5,
    judge_failures: 0,
  };
  const records = { goal: standing, todo: [{ id: "1", content: "draw the rivers", status: "pending" }] };
  await world.store.write("records", async (tx) => {
    for (const [name, value] of Object.entries(records))
      await set(tx, { root: session.id, name, json: JSON.stringify(value) }, 0 as EpochMs); // any instant will do
  });
  const asked = (turn: number) => `message ${turn} ${FACTS.includes(turn) ? fact(turn) : ""} ${FILLER}`;
  let id = session.id;
  for (let turn = 0; turn < TURNS; turn++)
    id = (await world.chat.submit({ session: id, text: asked(turn) })).session_id;

  assert.equal(summaries(server).length, 3);
  const last = textOf(mainRequests(server).at(-1));
  for (const turn of FACTS) assert.match(last, new RegExp(fact(turn)), `the model still knows fact ${turn}`);
  assert.match(last, /map the country\n1\. every city/);
  assert.match(last, /\[pending\] draw the rivers/);

  for (const turn of FACTS) {
    const hits = await world.chat.search(`Zebra${turn * 7}`, 10);
    assert.equal(hits.length, 1);
    const [found] = await world.chat.messages(hits[0]?.session_id ?? id, { after: 0, limit: 1_000 });
    assert.ok(found);
  }
  let exported = "";
  for await (const chunk of world.chat.export(id, "jsonl")) exported += chunk;
  const messages = exported
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { role?: string; content?: string; kind?: string }) // written by the export
    .filter(({ role, kind }) => role === "user" && kind === undefined);
  assert.deepEqual(
    messages.map(({ content }) => content),
    Array.from({ length: TURNS }, (_, turn) => asked(turn)),
  );
});
