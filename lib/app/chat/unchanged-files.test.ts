import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { startModelServer } from "../../../fixtures/servers/model/server.js";
import { chatWorld } from "../../../fixtures/sim/chat-world.js";

type Call = readonly [name: string, args: Readonly<Record<string, unknown>>];

const calls = (...all: readonly Call[]): Reply => ({
  tool_calls: all.map(([name, args]) => ({ name, arguments: args })),
});

async function setup(t: TestContext, replies: readonly Reply[], env: Readonly<Record<string, string>> = {}) {
  const server = await startModelServer({ script: { replies }, auxiliary: false });
  t.after(() => server.close());
  const config = `model: { provider: custom, base_url: "${server.url}", default: m, context_length: 64000 }\n`;
  const world = await chatWorld(t, { config, env });
  writeFileSync(join(world.work, "Makefile"), "all:\n");
  const session = await world.open();
  const results = async () =>
    (await world.chat.messages(session.id))
      .filter(({ role }) => role === "tool")
      .map(({ content }) => JSON.parse(content) as Record<string, unknown>);
  return { world, session, results, say: () => world.say(session, "do it") };
}

const HEAD =
  "⚠️ File-mutation verifier: 1 file(s) were NOT modified this turn despite any wording above that may suggest otherwise. " +
  "Run `git status` or `read_file` to confirm.";

test("C01: a patch that did not land is named below an answer that says otherwise, and stored nowhere", async (t) => {
  const { world, session, results, say } = await setup(t, [
    calls(["write_file", { path: "a.txt", content: "hello\n" }], ["read_file", { path: "nope.txt" }]),
    calls(["patch", { path: "a.txt", old_string: "zzz", new_string: "y" }]),
    { text: "All done, edited a.txt." },
  ]);
  const { result } = await say();
  const path = join(world.work, "a.txt");
  assert.equal(readFileSync(path, "utf8"), "hello\n");
  const [answer, empty, head, entry, ...more] = result.final_response.split("\n");
  assert.deepEqual([answer, empty, head, more], ["All done, edited a.txt.", "", HEAD, []]);
  assert.match(entry ?? "", /^ {2}• `.*\/a\.txt` — \[patch\] \S/);
  assert.deepEqual(
    result.files_not_changed.map((one) => [one.path, one.tool]),
    [[path, "patch"]],
  );
  const [written] = await results();
  const { bytes_written, lint, resolved_path, files_modified } = written ?? {};
  assert.deepEqual([bytes_written, resolved_path, files_modified], [6, path, [path]]);
  assert.equal((lint as { status: string }).status, "skipped"); // a text file has no checker
  assert.equal((await world.chat.messages(session.id)).at(-1)?.content, "All done, edited a.txt.");
});

test("C23: writes that are refused are named, and nothing is written or read", async (t) => {
  const { world, results, say } = await setup(t, [
    calls(
      ["write_file", { path: "~/.ssh/authorized_keys", content: "key" }],
      ["read_file", { path: ".env" }],
      ["read_file", { path: "/dev/zero" }],
      ["write_file", { path: "../home/config.yaml", content: "x" }],
    ),
    { text: "Done." },
  ]);
  writeFileSync(join(world.work, ".env"), "SECRET=1\n");
  const settings = readFileSync(world.home.config, "utf8");
  const { result } = await say();
  const shown = await results();
  assert.deepEqual(
    shown.map(({ error }) => typeof error),
    ["string", "string", "string", "string"],
  );
  assert.equal(JSON.stringify(shown).includes("SECRET=1"), false);
  assert.match(result.final_response, /2 file\(s\) were NOT modified/);
  assert.match(result.final_response, /home\/config\.yaml` — \[write_file\] Refusing/);
  assert.match(result.final_response, /\.ssh\/authorized_keys` — \[write_file\] Refusing to write to protected path/);
  assert.equal(readFileSync(world.home.config, "utf8"), settings);
  assert.equal(existsSync(join(world.work, "../user/.ssh")), false);
});

test("a path that a later call wrote is not named, and nothing is added to an answer of which all landed", async (t) => {
  const { say } = await setup(t, [
    calls(["patch", { path: "a.txt", old_string: "zzz", new_string: "y" }]),
    calls(["write_file", { path: "a.txt", content: "y" }]),
    { text: "Done." },
  ]);
  const { result } = await say();
  assert.deepEqual([result.final_response, result.files_not_changed], ["Done.", []]);
});

for (const value of ["0", "false", "no", "off"]) {
  test(`AGENT_FILE_MUTATION_VERIFIER=${value} adds nothing to the answer, while the result still tells it`, async (t) => {
    const replies = [calls(["patch", { path: "a.txt", old_string: "zzz", new_string: "y" }]), { text: "Done." }];
    const { say } = await setup(t, replies, { AGENT_FILE_MUTATION_VERIFIER: value });
    const { result } = await say();
    assert.deepEqual([result.final_response, result.files_not_changed.length], ["Done.", 1]);
  });
}
