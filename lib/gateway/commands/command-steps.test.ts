import assert from "node:assert/strict";
import { test } from "node:test";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import { type CommandSteps, commandWithSteps } from "./command-steps.js";

const sent = (text: string) => ({ text }) as Inbound; // the steps of this test read the text only

/** Steps that note their names and change nothing. */
function noted(change: Partial<CommandSteps> = {}) {
  const done: string[] = [];
  const note = <T>(name: string, value: T): T => {
    done.push(name);
    return value;
  };
  const steps: CommandSteps = {
    hooks: async (event) => note("hooks", { event }),
    turn: {
      answer: async () => note("answer", undefined),
      end: () => note("end", true),
      after: async (_event, _key, { ended, text }) => note("after turn", `${text}, ended ${ended}`),
    },
    platform: async () => note("platform", undefined),
    topics: {
      refusal: async () => note("refusal", undefined),
      after: async (_event, _key, text) => note("after topics", text),
    },
    run: async ({ text }) => note("run", `ran ${text}`),
    ...change,
  };
  return { run: (text: string) => commandWithSteps(steps)(sent(text), "key"), done };
}

test("a command passes hooks, the running turn, its platform and topics before it runs, and the turn after it", async () => {
  const { run, done } = noted();
  assert.equal(await run("/status"), "ran /status, ended true");
  assert.deepEqual(done, ["hooks", "answer", "end", "platform", "refusal", "run", "after topics", "after turn"]);
});

test("a hook that answers a command ends it, and one that replaces it is followed", async () => {
  const refused = noted({ hooks: async () => ({ answer: "no" }) });
  assert.equal(await refused.run("/new"), "no");
  assert.deepEqual(refused.done, []);
  const replaced = noted({ hooks: async () => ({ event: sent("/other") }) });
  assert.equal(await replaced.run("/new"), "ran /other, ended true");
});

test("a command of the platform, and one that its topics refuse, does not run", async () => {
  const own = noted({ platform: async () => "by the platform" });
  assert.equal(await own.run("/topic"), "by the platform, ended true");
  const lobby = noted({
    topics: { refusal: async () => "go into a topic", after: async (_event, _key, text) => text },
  });
  assert.equal(await lobby.run("/new"), "go into a topic, ended true");
  for (const { done } of [own, lobby]) assert.ok(!done.includes("run"));
});
