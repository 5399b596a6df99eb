import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type LoginWorldOptions, loginWorld } from "../../../fixtures/sim/login-world.js";
import { manageAuth } from "./auth.js";

async function managed(t: TestContext, options: LoginWorldOptions, ...answers: readonly string[]) {
  const world = await loginWorld(t, options);
  const gone = new AbortController();
  const said: string[] = [];
  const lines: string[] = [];
  const left = [...answers];
  const person = {
    ask: async (question: string) => {
      said.push(question);
      const answer = left.shift();
      if (answer === undefined) gone.abort();
      return answer ?? "";
    },
    say: async (line: string) => void said.push(line),
    signal: gone.signal,
  };
  const run = async (argv: readonly string[]) => {
    lines.push(argv.join(" "));
    const { out, err } = await world.run(argv, { input: "sk-typed-0123456789", signal: gone.signal });
    said.push(out, err);
  };
  const ended = manageAuth(person, { auth: world.auth, now: () => world.clock.now(), run });
  return { ...world, ended, said, lines, left };
}

const ids = async ({ auth }: Pick<Awaited<ReturnType<typeof managed>>, "auth">) =>
  (await auth.list()).providers.flatMap(({ provider, entries }) => entries.map(({ type }) => `${provider} ${type}`));

test("the menu of logins and keys runs the command that was chosen, then shows the list again", async (t) => {
  const made = await managed(
    t,
    {},
    "add",
    "router",
    "add",
    "subscription",
    "refresh",
    "remove",
    "router#1",
    "y",
    "done",
  );
  await made.ended;
  assert.deepEqual(await ids(made), ["subscription oauth"]);
  assert.deepEqual(made.lines.slice(0, 3), [
    "auth add router --type api-key",
    "auth add subscription --type oauth",
    "auth refresh subscription --all",
  ]);
  assert.match(made.lines[3] ?? "", /^auth remove router \S+$/);
  assert.equal(made.said[0], "No logins or keys.");
  assert.ok(made.said.some((line) => /^-> #1 .*api_key manual/.test(line)));
  assert.ok(made.said.some((line) => line.startsWith("Removed from router: #1")));
  assert.deepEqual(made.left, []);
});

test("the menu offers what there is something to act on for, and changes nothing without an agreement", async (t) => {
  const made = await managed(t, { env: { ROUTER_API_KEY: "sk-of-the-environment" } }, "logout", "remove", "1", "n", "");
  await made.ended;
  assert.ok(made.said.some((line) => line.startsWith("  invalid choice logout")));
  assert.deepEqual([await ids(made), made.lines], [["router api_key"], []]);
});

test("a provider that no one knows is named, and the menu goes on", async (t) => {
  const made = await managed(t, {}, "add", "other", "nowhere", "done");
  await made.ended;
  assert.ok(made.said.some((line) => line.includes("nowhere")));
  assert.deepEqual(made.lines, []);
});

test("Ctrl+C leaves the menu, and what was stored before stays", async (t) => {
  const made = await managed(t, {}, "add", "router");
  await assert.rejects(made.ended, { code: "E_INTERRUPTED" });
  assert.deepEqual(await ids(made), ["router api_key"]);
});
