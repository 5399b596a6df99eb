import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { quietPort } from "../../../fixtures/e2e/port.js";
import { start } from "../../../fixtures/e2e/process.js";
import { type World, world } from "../../../fixtures/e2e/world.js";

interface Failure {
  readonly error: { readonly code: string; readonly message: string; readonly hint: string };
}

interface Case {
  readonly what: string;
  readonly words: readonly string[];
  readonly exit: number;
  readonly code: string;
  readonly says: RegExp;
}

const WRONG: readonly Case[] = [
  {
    what: "an unknown task",
    words: ["kanban", "show", "t_00000000"],
    exit: 1,
    code: "E_NOT_FOUND",
    says: /t_00000000/,
  },
  { what: "an unknown session", words: ["sessions", "show", "nope"], exit: 1, code: "E_NOT_FOUND", says: /nope/ },
  {
    what: "an unknown board",
    words: ["kanban", "list", "--board", "nope"],
    exit: 1,
    code: "E_BOARD_NOT_FOUND",
    says: /nope/,
  },
  {
    what: "a malformed board",
    words: ["kanban", "list", "--board", "No Good"],
    exit: 2,
    code: "E_BAD_BOARD",
    says: /No Good/,
  },
  { what: "a malformed number", words: ["kanban", "list", "--limit", "x"], exit: 2, code: "E_USAGE", says: /--limit/ },
  { what: "an unknown flag", words: ["kanban", "list", "--nonsense"], exit: 2, code: "E_USAGE", says: /nonsense/ },
  { what: "an unknown command", words: ["kanban", "nonsense"], exit: 2, code: "E_USAGE", says: /nonsense/ },
  { what: "an unknown profile", words: ["-p", "nobody", "config", "path"], exit: 2, code: "E_USAGE", says: /nobody/ },
  {
    what: "a profile outside",
    words: ["-p", "../../other", "config", "path"],
    exit: 2,
    code: "E_USAGE",
    says: /other/,
  },
  { what: "a claim of a done task", words: ["kanban", "claim", "DONE"], exit: 1, code: "E_STATE", says: /t_/ },
];

for (const { way, owned } of [
  { way: "without an owner", owned: false },
  { way: "with an owner", owned: true },
]) {
  test(`what is wrong is reported in words with the right exit code, as JSON alone under --json, and changes nothing, ${way}`, async (t) => {
    const made = await world(t);
    const { id } = await made.json<{ id: string }>("kanban", "create", "one", "--external");
    await made.json("kanban", "complete", id);
    if (owned) await made.owner();
    const before = await made.json("kanban", "show", id);
    for (const { what, words, exit, code, says } of WRONG) {
      await t.test(what, async () => {
        const argv = words.map((word) => (word === "DONE" ? id : word));
        const [plain, json] = await Promise.all([made.run(argv), made.run([...argv, "--json"])]);
        assert.deepEqual([plain.code, plain.out], [exit, ""]);
        assert.match(plain.err, says);
        mustFail(json, { exit, code, says });
      });
    }
    assert.deepEqual(await made.json("kanban", "show", id), before);
  });
}

const DAMAGES: readonly {
  readonly what: string;
  readonly file: "kanban.db" | "sessions.db";
  readonly harm: (path: string) => void;
}[] = [
  { what: "a board with a garbage header", file: "kanban.db", harm: (path) => overwrite(path, 0) },
  { what: "a truncated board", file: "kanban.db", harm: (path) => truncateSync(path, 5_000) },
  { what: "a board with a flipped page", file: "kanban.db", harm: (path) => overwrite(path, 40_000) },
  { what: "a session store with a garbage header", file: "sessions.db", harm: (path) => overwrite(path, 0) },
  { what: "a truncated session store", file: "sessions.db", harm: (path) => truncateSync(path, 5_000) },
];

for (const { what, file, harm } of DAMAGES) {
  test(`${what} is refused by name, left as it is, and not made again`, async (t) => {
    const made = await world(t);
    await made.json("kanban", "create", "one", "--external");
    await made.json("-z", "hello").catch(() => undefined); // its output is lines
    const path = join(made.home.dir, file);
    harm(path);
    const before = readFileSync(path);
    const board = file === "kanban.db";
    const reading = board ? ["kanban", "list"] : ["sessions", "list"];
    const writing = board ? ["kanban", "create", "two", "--external"] : ["chat", "-q", "hello"];
    for (const words of [reading, writing]) {
      const { code, out, err } = await made.run(words);
      assert.deepEqual([words, code, out], [words, 1, ""]);
      assert.match(err, new RegExp(`${file}.*damaged`, "s"));
      mustFail(await made.run([...words, "--json"]), { exit: 1, code: "E_STORE", says: /damaged/ });
    }
    assert.deepEqual(readFileSync(path), before);
    const doctor = await made.run(["doctor"]);
    assert.deepEqual([doctor.code, /fail.*damaged/s.test(doctor.out)], [1, true]);
  });
}

test("a home that is a file is named, and the file stays", async (t) => {
  const made = await world(t);
  rmSync(made.home.dir, { recursive: true });
  writeFileSync(made.home.dir, "mine");
  for (const words of [["kanban", "list"], ["kanban", "create", "x"], ["-z", "hello"], ["--headless"]]) {
    const { code, err } = await made.run(words);
    assert.deepEqual([words, code], [words, 1]);
    assert.match(err, /is not a directory/);
  }
  assert.equal(readFileSync(made.home.dir, "utf8"), "mine");
});

test("a home that cannot be made does not keep a command busy for ever", {
  skip: existsSync("/proc") ? false : "there is no /proc",
}, async (t) => {
  const { run } = await world(t);
  const { code, err } = await run(["kanban", "create", "x"], { env: { AGENT_HOME: "/proc/agent-home" } });
  assert.equal(code, 1);
  assert.match(err, /cannot create directory \/proc\/agent-home/);
});

const MODELS: readonly { readonly what: string; readonly reply: object; readonly says: RegExp }[] = [
  {
    what: "a model server with a wrong key",
    reply: { status: 401, body: { error: { message: "bad key" } } },
    says: /bad key/,
  },
  { what: "a model server that sends garbage", reply: { body: "data: {not json\n\ndata: ]]\n\n" }, says: /./ },
  { what: "a model server that sends a page", reply: { status: 200, body: "<html>proxy</html>" }, says: /./ },
];

for (const { what, reply, says } of MODELS) {
  test(`${what} is reported with exit 1, and the message is kept`, async (t) => {
    const config = "agent:\n  api_max_retries: 1\n";
    const made = await world(t, { model: { script: { replies: [reply] } }, name: "any", config });
    await failedTurn(made, says);
  });
}

test("a model server that is not there is told with exit 1 and its address, and the message is kept", async (t) => {
  // A port that no one else is given once its server has gone.
  const made = await world(t, { model: { port: await quietPort() }, config: "agent:\n  api_max_retries: 1\n" });
  await made.model.close();
  await failedTurn(made, new RegExp(String(made.model.port)));
});

async function failedTurn(made: World, says: RegExp): Promise<void> {
  const { code, out, err } = await made.run(["-z", "keep this"]);
  assert.deepEqual([code, out], [1, ""]);
  assert.match(err, says);
  const [session] = await made.json<{ id: string }[]>("sessions", "list");
  const { messages } = await made.json<{ messages: { content: string }[] }>("sessions", "show", session?.id ?? "");
  assert.equal(messages[0]?.content, "keep this");
}

function mustFail(
  { code, out, err }: { code: number; out: string; err: string },
  wanted: Pick<Case, "exit" | "code" | "says">,
): void {
  const lines = out.trimEnd().split("\n");
  const failure: Failure = JSON.parse(lines.at(-1) ?? "");
  assert.deepEqual([code, failure.error.code, err], [wanted.exit, wanted.code, ""]);
  assert.match(failure.error.message, wanted.says);
  assert.notEqual(failure.error.hint, "");
}

function overwrite(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes.fill(0xa5, at, at + 256);
  writeFileSync(path, bytes);
}

/** The shell stays in a directory that it has removed. */
const NOWHERE = 'mkdir gone && cd gone && rmdir ../gone; "$NODE" "$AGENT" "$@"';

test("a command in a directory that was removed says so, as JSON alone under --json, with and without an owner", async (t) => {
  const made = await world(t);
  const env = { ...made.env, NODE: process.execPath, AGENT: made.program };
  const run = (...words: string[]) => start("sh", ["-c", NOWHERE, "sh", ...words], { env, cwd: made.work }).ended;
  for (const prepare of [async () => undefined, () => made.owner()]) {
    await prepare();
    const said = "the current directory no longer exists";
    const plain = await run("kanban", "list");
    assert.deepEqual([plain.code, plain.out, plain.err.split("\n")[0]], [1, "", `kanban: ${said}`]);
    mustFail(await run("-z", "hi", "--json"), { exit: 1, code: "E_NOT_FOUND", says: new RegExp(said) });
    assert.equal((await run("--version")).code, 0);
  }
});
