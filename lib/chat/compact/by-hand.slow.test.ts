import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import {
  type Answer,
  called,
  growingChat,
  grown,
  mainRequests,
  said,
  seen,
  summaries,
  textOf,
} from "../../../fixtures/sim/growing-chat.js";
import { set } from "../../../storage/tables/sessions/lineage.js";
import type { EpochMs } from "../../base/units.js";
import { compactionLines } from "../../contracts/chat/compaction-lines.js";

test("after an undo nothing is compacted by itself until nine tenths of the window", async (t) => {
  const sizes = [70_000, 100_000, 116_000];
  const answer: Answer = (request, turn) => {
    if (turn === 6) return called(70_000);
    const tools = request.messages.at(-1)?.role === "tool";
    return turn > 7 && !tools ? called(sizes.shift() ?? 1_000) : said(`answer ${turn}`, 69_000);
  };
  const { server, world, session } = await grown(t, { answer });
  await world.chat.compactUndo(session.id);
  for (const text of ["a", "b"]) await world.say(session, text);
  assert.equal(summaries(server).length, 1);
  const third = await world.say(session, "c");
  assert.equal(seen(third, "compaction.ended").length, 1);
});

test("todos, goal, subgoals and changed files are reported again, and so are the instructions of directories", async (t) => {
  const todos = [
    { id: "1", content: "water the zebra", status: "in_progress" },
    { id: "2", content: "comb the lion", status: "completed" },
  ];
  const answer: Answer = ({ messages }, turn) => {
    const asked = String(messages.findLast(({ role }) => role === "user")?.content);
    if (messages.at(-1)?.role === "tool") return said(`answer ${turn}`);
    if (asked.endsWith("plan")) return called(1_000, "todo", { todos });
    if (asked.endsWith("write")) return called(1_000, "write_file", { path: "sub/file.txt", content: "x" });
    return said(`answer ${turn}`);
  };
  const { server, world, session } = await growingChat(t, { answer });
  mkdirSync(`${world.work}/sub`);
  writeFileSync(`${world.work}/sub/AGENTS.md`, "Always whisper here.");
  const texts = ["first", "plan", "write", "three", "four", "five", "six", "seven", "eight"];
  for (const text of texts) await world.say(session, text);
  await world.store.write("goal", (tx) =>
    set(
      tx,
      {
        root: session.id,
        name: "goal",
        json: JSON.stringify({ goal: "feed all", status: "active", subgoals: ["lions"] }),
      },
      0 as EpochMs,
    ),
  );
  await world.chat.compact(session.id);
  await world.say(session, "nine");
  const note = /\[STATE AFTER CONTEXT COMPACTION[\s\S]*/.exec(textOf(mainRequests(server).at(-1)))?.[0] ?? "";
  for (const told of [/\[in_progress\] water the zebra/, /Standing goal: feed all\n1\. lions/, /sub\/file\.txt/])
    assert.match(note, told);
  assert.doesNotMatch(note, /comb the lion/);
  assert.doesNotMatch(textOf(mainRequests(server).at(-1)), /Always whisper here/);
  await world.say(session, "write");
  assert.match(textOf(mainRequests(server).at(-1)), /Always whisper here/);
});

test("the user is told at 70 % and at 85 %, once each", async (t) => {
  const sizes = [40_000, 45_000, 46_000, 55_000, 56_000];
  const answer: Answer = (_request, turn) => said(`answer ${turn}`, sizes[turn] ?? 57_000);
  const { world, session } = await growingChat(t, { answer });
  const codes: unknown[] = [];
  for (let n = 0; n < 7; n++)
    codes.push(...seen(await world.say(session, `question ${n}`), "notice").map((data) => data["code"]));
  assert.deepEqual(codes, ["context_70", "context_85"]);
});

test("a model may have a threshold of its own", async (t) => {
  const config = "compression: { models: { m1: { threshold: 0.9 } } }";
  const { last } = await grown(t, { config });
  assert.equal(seen(last, "compaction.started").length, 0);
});

test("asked for by hand, it keeps the last exchanges as they are, and everything about the focus", async (t) => {
  const { server, world, session } = await grown(t, { answer: (_request, turn) => said(`answer ${turn}`) });
  const ended = await world.chat.compact(session.id, { keep: 2, focus: "the zebra" });
  assert.deepEqual([ended.ok, ended.reason], [true, "manual"]);
  assert.match(textOf(summaries(server)[0]), /FOCUS[^\n]*\nthe zebra/);
  await world.say(session, "next");
  const asked = textOf(mainRequests(server).at(-1));
  for (const kept of ["question 5", "answer 5", "question 6", "answer 6"]) assert.match(asked, new RegExp(kept));
  assert.doesNotMatch(asked, /question 4/);
});

test("what cannot be compacted says so", async (t) => {
  const { world, session } = await growingChat(t, { answer: () => said("hi") });
  await world.say(session, "one");
  await assert.rejects(world.chat.compact(session.id), /No changes: compaction keeps all 2 messages/);
  await assert.rejects(world.chat.compact(session.id, { keep: 0 }), /0 exchanges/);
});

test("a second compaction brings the summary up to date and says that accuracy may degrade", async (t) => {
  const answer: Answer = (_request, turn) => said(`answer ${turn}`);
  const { server, world, session } = await grown(t, {
    answer,
    side: [{ text: "FIRST SUMMARY" }, { text: "SECOND SUMMARY" }],
  });
  await world.chat.compact(session.id);
  for (let n = 0; n < 8; n++) await world.say(session, `later ${n}`);
  const ended = await world.chat.compact(session.id);
  const asked = textOf(summaries(server)[1]);
  assert.match(asked, /PREVIOUS SUMMARY\nFIRST SUMMARY/);
  assert.doesNotMatch(asked, /CONTEXT COMPACTION/);
  assert.match(compactionLines("compaction.ended", { ...ended }).join("\n"), /compacted 2 times; accuracy may degrade/);
  await world.say(session, "end");
  const request = textOf(mainRequests(server).at(-1));
  assert.match(request, /SECOND SUMMARY/);
  assert.doesNotMatch(request, /FIRST SUMMARY/);
});
