import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import type { Script } from "../../../fixtures/servers/model/script.js";

const MODES = ["chat_completions", "responses", "anthropic_messages"] as const;
type Mode = (typeof MODES)[number];

const WORK: Script = {
  replies: [
    {
      text: "I write it.",
      tool_calls: [
        { name: "write_file", arguments: { path: "a.txt", content: "hello\n" }, id: "call_a" },
        { name: "read_file", arguments: { path: "nope.txt" }, id: "call_b" },
      ],
    },
    { tool_calls: [{ name: "read_file", arguments: { path: "a.txt" }, id: "call_c" }] },
    { text: "All done." },
  ],
};

/** What a Responses body may hold at its top. */
const RESPONSES_KEYS = new Set(
  `model instructions input tools store reasoning include max_output_tokens temperature tool_choice parallel_tool_calls prompt_cache_key
  service_tier extra_headers extra_body timeout stream`.split(/\s+/),
);

async function spoken(t: TestContext, mode: Mode, script: Script = WORK) {
  const made = await world(t, {
    model: { script },
    name: "m",
    config: `  api_mode: ${mode}\n  context_length: 128000\n`,
  });
  const ran = await made.run(["-z", "do it"]);
  const bodies = made.model
    .chats()
    .map(({ raw, body }) => ({ raw, body, json: JSON.parse(raw) as Record<string, unknown> }));
  return { made, ran, bodies };
}

for (const mode of MODES) {
  test(`C13: the same work is done over ${mode}: calls run, results go back, the answer is printed`, async (t) => {
    const { made, ran, bodies } = await spoken(t, mode);
    assert.deepEqual([ran.code, ran.out], [0, "All done.\n"], ran.err);
    assert.equal(readFileSync(join(made.work, "a.txt"), "utf8"), "hello\n");
    const heard = bodies.map(({ body }) => body?.messages.map((message) => message.role).join(" "));
    const first = "system user";
    assert.deepEqual(heard, [first, ...grown(mode, first)]);
    assert.match(JSON.stringify(bodies.at(-1)?.json), /hello/);
  });

  test(`over ${mode} a later request begins with the bytes of the earlier one up to its last message`, async (t) => {
    const { bodies } = await spoken(t, mode);
    const list = mode === "responses" ? "input" : "messages";
    for (const [at, { raw, json }] of bodies.entries()) {
      const next = bodies[at + 1];
      if (next === undefined) break;
      const said = JSON.stringify(json[list]).slice(0, -1);
      const head = raw.slice(0, raw.indexOf(said) + said.length);
      assert.ok(raw.includes(said) && next.raw.startsWith(head), `request ${at + 2}`);
    }
  });
}

/** Roles of the second and third request as a script sees them. */
function grown(mode: Mode, first: string): string[] {
  // A Responses call is an item of its own.
  const one =
    mode === "responses" ? `${first} assistant assistant assistant tool tool` : `${first} assistant tool tool`;
  return [one, `${one} assistant tool`];
}

test("C13: a Responses body holds only what the protocol knows, and an answer to each call", async (t) => {
  const { bodies } = await spoken(t, "responses");
  for (const { json } of bodies) {
    assert.deepEqual(
      Object.keys(json).filter((name) => !RESPONSES_KEYS.has(name)),
      [],
    );
    assert.deepEqual(
      [json["stream"], json["store"], json["tool_choice"], json["parallel_tool_calls"]],
      [true, false, "auto", true],
    );
  }
});

test("C13: a messages body has a cap, alternating sides, and a result for each call", async (t) => {
  const { bodies } = await spoken(t, "anthropic_messages");
  for (const { json } of bodies) {
    assert.ok(Number(json["max_tokens"]) > 0 && Number(json["max_tokens"]) < 128_000, String(json["max_tokens"]));
    const turns = json["messages"] as {
      role: string;
      content: { type: string; id?: string; tool_use_id?: string }[];
    }[];
    for (const [at, turn] of turns.entries()) assert.equal(turn.role, at % 2 === 0 ? "user" : "assistant");
    const of = (type: string) => turns.flatMap((turn) => turn.content.filter((block) => block.type === type));
    assert.deepEqual(
      of("tool_result").map((block) => block.tool_use_id),
      of("tool_use").map((block) => block.id),
    );
  }
});

test("extra_body with a member that the Responses protocol does not know is refused before anything is sent", async (t) => {
  const config = `providers:\n  own:\n    base_url: http://127.0.0.1:9/v1\n    api_mode: responses\n    context_length: 64000\n    extra_body:\n      top_k: 4\n`;
  const made = await world(t, { config });
  const ran = await made.run(["-z", "hi", "--provider", "own", "-m", "m"]);
  assert.equal(ran.code, 1);
  assert.match(`${ran.out}${ran.err}`, /extra_body contains members unknown to the Responses protocol: top_k/);
});

for (const mode of MODES.slice(1)) {
  test(`over ${mode} a key that is refused is reported with what to do, and nothing runs`, async (t) => {
    const script = {
      replies: [{ status: 401, body: { error: { type: "authentication_error", message: "invalid key" } } }],
    };
    const { made, ran } = await spoken(t, mode, script);
    assert.equal(ran.code, 1);
    assert.match(`${ran.out}${ran.err}`, /401.*invalid key/s);
    assert.ok(!existsSync(join(made.work, "a.txt")));
  });

  test(`over ${mode} an answer that breaks off in a call is asked for again, and the call runs once`, async (t) => {
    const call = { name: "terminal", arguments: { command: "echo once >> ran.txt" }, id: "call_a" };
    const script: Script = {
      replies: [{ tool_calls: [call], finish: null, done: false }, { tool_calls: [call] }, { text: "ok" }],
    };
    const { made, ran } = await spoken(t, mode, script);
    assert.deepEqual([ran.code, ran.out], [0, "ok\n"], ran.err);
    assert.equal(readFileSync(join(made.work, "ran.txt"), "utf8"), "once\n");
  });
}
