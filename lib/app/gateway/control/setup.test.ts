import assert from "node:assert/strict";
import { test } from "node:test";
import { type Asker, answersOf, questionsOf } from "./setup.js";

const DEFINITION = { tag: "msgt", summary: "Bots.", credentials: ["BOT_TOKEN"] } as const;

function person(...answers: readonly string[]) {
  const left = [...answers];
  const said: string[] = [];
  const asked: [string, boolean][] = [];
  const control = new AbortController();
  const asker: Asker = {
    ask: async (question, hidden) => {
      asked.push([question, hidden]);
      const answer = left.shift();
      if (answer === undefined) control.abort();
      return answer ?? "";
    },
    say: async (line) => {
      said.push(line);
    },
    signal: control.signal,
  };
  return { asker, said, asked };
}

test("a platform without questions of its own is asked for its credentials, unseen, and for who may talk", async () => {
  const { asker, asked } = person("1:abc", "42, 43");
  assert.deepEqual(await answersOf(asker, DEFINITION, {}), [
    ["MSGT_BOT_TOKEN", "1:abc"],
    ["MSGT_ALLOWED_USERS", "42, 43"],
  ]);
  assert.deepEqual(
    asked.map(([, hidden]) => hidden),
    [true, false],
  );
});

test("an empty answer keeps what is set, and a secret that is set is not shown", async () => {
  const { asker, asked } = person("", "");
  assert.deepEqual(await answersOf(asker, DEFINITION, { MSGT_BOT_TOKEN: "1:secret", MSGT_ALLOWED_USERS: "42" }), []);
  assert.match(asked[0]?.[0] ?? "", /\[set\]/);
  assert.match(asked[1]?.[0] ?? "", /\[42\]/);
});

test("an answer that is needed, or that the platform finds wrong, is asked for again", async () => {
  const { asker, said } = person("", "nonsense", "1:abc", "");
  const setup = [
    {
      variable: "BOT_TOKEN",
      ask: "Token",
      hint: "From the bot father.",
      problem: (text: string) => (text.includes(":") ? undefined : "It has a colon."),
    },
  ];
  assert.deepEqual(await answersOf(asker, { ...DEFINITION, setup }, {}), [["MSGT_BOT_TOKEN", "1:abc"]]);
  assert.deepEqual(said.slice(1), ["  From the bot father.", "  It is needed.", "  It has a colon."]);
});

test("nothing is stored when the person gives up in the middle", async () => {
  const { asker } = person("1:abc");
  await assert.rejects(answersOf(asker, DEFINITION, {}), /nothing was stored/);
});

test("questions of its own replace the usual ones", () => {
  const setup = [{ variable: "X", ask: "X" }];
  assert.deepEqual(questionsOf({ ...DEFINITION, setup }), setup);
});
