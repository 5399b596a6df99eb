import assert from "node:assert/strict";
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { ScriptRequest } from "../../../fixtures/servers/model/script.js";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import type { Inbound, InboundMedia } from "../../contracts/board/platform-tag.js";
import { entryOf, jsonTool } from "../../tools/core/json-tool.js";

type World = Awaited<ReturnType<typeof chatGateway>>;

const SECRET = "the zebra of somebody else";
/** `u-c1` is the admin of the chats, `u-c2` a member. */
const ENV = { MSGT_ALLOWED_USERS: "u-c1,u-c2", MSGT_ALLOW_ADMIN_FROM: "u-c1", MSGT_HOME_CHANNEL: "c1" };

/** It makes the calls that a message names: `[["read_file", {"path": "x"}]]`, and says what came of each. */
function calling({ messages }: ScriptRequest) {
  const behind = messages.findLastIndex((one) => one.role === "assistant") + 1;
  const results = messages.slice(behind).filter((one) => one.role === "tool");
  if (results.length > 0) return { text: results.map((one) => String(one.content).slice(0, 250)).join(BETWEEN) };
  const [given] = /\[\[.*\]\]$/s.exec(String(messages.at(-1)?.content)) ?? [];
  if (given === undefined) return { text: "heard" };
  const calls = JSON.parse(given) as [name: string, args: object][]; // a test wrote it
  return { tool_calls: calls.map(([name, args]) => ({ name, arguments: args })) };
}

const BETWEEN = " ~ ";

/** A tool of a server that may open anything, although it says that it only reads. */
const ofServer = entryOf(
  jsonTool({
    name: "mcp_files_read",
    toolset: "mcp-files",
    description: "Read a file.",
    schema: { type: "object", properties: {} },
    risk: "external",
    effects: () => ({ reads: ["net"], writes: [] }),
    limits: { ms: 1_000, chars: 1_000 },
    preview: () => "a file",
    run: async () => ({ text: SECRET }),
  }),
  { kind: "mcp", name: "files" },
);

async function world(t: TestContext, env: Readonly<Record<string, string>> = {}, config = ""): Promise<World> {
  const fetchMedia = async ({ ref }: InboundMedia) =>
    (async function* () {
      yield Buffer.from(String(ref));
    })();
  const toolSources = [{ entries: () => [ofServer] }];
  const made = await chatGateway(t, {
    script: calling,
    env: { ...ENV, ...env },
    config,
    platform: { fetchMedia },
    toolSources,
  });
  const { home, work } = made.owner;
  for (const dir of ["logs", "cron/output/j1", "memories", "skills/a"])
    mkdirSync(join(home.dir, dir), { recursive: true });
  for (const file of ["logs/agent.log", "cron/output/j1/1.md", "memories/MEMORY.md", "SOUL.md"])
    writeFileSync(join(home.dir, file), `${SECRET}\n`);
  writeFileSync(join(home.dir, "skills/a/SKILL.md"), "how it is done\n");
  symlinkSync(home.dir, join(work, "link"));
  symlinkSync(join(home.dir, "SOUL.md"), join(work, "plain.txt"));
  return made;
}

let serial = 0;

const says = (text: string, chat = "c2", media: readonly InboundMedia[] = []): Inbound => ({
  ...simMessage("msgt", `r${serial++}`, text, chat),
  media,
});

/** What the chat reads of a message. */
async function answer(made: World, event: Inbound): Promise<string> {
  const before = made.platform.ledger.length;
  await made.deliver(event);
  return (await made.shown(before + 1))[before]?.text ?? "";
}

type Call = readonly [tool: string, args: object];

const calls = (...all: readonly Call[]): string => JSON.stringify(all);
const uses = (tool: string, args: object): string => calls([tool, args]);

/** What came of each of these, in one turn. */
const outcomes = async (made: World, all: readonly Call[], chat?: string): Promise<readonly string[]> => {
  const told = (await answer(made, says(calls(...all), chat))).split(BETWEEN);
  assert.equal(told.length, all.length);
  return told;
};

/** Names of the tools of the newest request. */
const offeredIn = (made: World): readonly string[] =>
  [...JSON.stringify(made.owner.model.chats().at(-1)?.body?.tools ?? []).matchAll(/"name":"(\w+)"/g)].map(
    ([, name = ""]) => name,
  );

const READS: readonly (readonly [string, string, (made: World) => object])[] = [
  ["a log by its path", "read_file", ({ owner }) => ({ path: join(owner.home.logs, "agent.log") })],
  ["a log by dots", "read_file", ({ owner }) => ({ path: `${owner.work}/../home/logs/agent.log` })],
  ["a log by ~", "read_file", () => ({ path: "~/home/logs/agent.log" })],
  ["output of a job", "read_file", ({ owner }) => ({ path: join(owner.home.dir, "cron/output/j1/1.md") })],
  ["what is remembered", "read_file", ({ owner }) => ({ path: join(owner.home.dir, "memories/MEMORY.md") })],
  ["the settings", "read_file", ({ owner }) => ({ path: owner.home.config })],
  ["a log by a link to the home", "read_file", ({ owner }) => ({ path: join(owner.work, "link/logs/agent.log") })],
  ["a file by a link to it", "read_file", ({ owner }) => ({ path: join(owner.work, "plain.txt") })],
  ["a log by the view of a process", "read_file", () => ({ path: "/proc/self/cwd/home/logs/agent.log" })],
  ["the home as a whole", "search_files", ({ owner }) => ({ pattern: "zebra", path: owner.home.dir })],
  ["what lies above the home", "search_files", () => ({ pattern: "zebra", path: "~" })],
  ["the home by a link", "search_files", ({ owner }) => ({ pattern: "zebra", path: join(owner.work, "link") })],
  ["names in the home", "search_files", () => ({ pattern: "agent.log", target: "files", path: "~" })],
];

test("P6: a member of a chat reads nothing of the home, by whatever path; an admin and whoever sits at the machine do", async (t) => {
  const made = await world(t);
  const told = await outcomes(
    made,
    READS.map(([, tool, args]) => [tool, args(made)]),
  );
  for (const [n, [what]] of READS.entries())
    assert.doesNotMatch(told[n] ?? "", /zebra of|fake-1|logs\/agent\.log"/, what);
  const log = uses("read_file", { path: join(made.owner.home.logs, "agent.log") });
  assert.match(await answer(made, says(log, "c1")), /zebra of/);
  assert.match((await made.owner.ask(log)).final_response, /zebra of/);
});

test("P6: a member changes nothing in the home, and what is for every conversation he reads", async (t) => {
  const made = await world(t);
  const { dir } = made.owner.home;
  const names = ["SOUL.md", "scripts/x.sh", "skills/a/SKILL.md", "workspace/a"];
  const told = await outcomes(
    made,
    names.map((name) => ["write_file", { path: join(dir, name), content: "x" }]),
  );
  for (const [n, name] of names.entries()) assert.match(told[n] ?? "", /Refusing to write/, name);
  const mine = join(made.owner.work, "a.txt");
  const [read, written] = await outcomes(made, [
    ["read_file", { path: join(dir, "skills/a/SKILL.md") }],
    ["write_file", { path: mine, content: "mine" }],
  ]);
  assert.match(read ?? "", /how it is done/);
  assert.match(written ?? "", /bytes_written/);
});

test("P6: a member opens the files that came from his chat, and none that came from another one", async (t) => {
  const made = await world(t);
  const file = (ref: string): InboundMedia => ({ kind: "document", mime: null, name: "a.csv", size: null, ref });
  await answer(made, says("keep it", "c1", [file("theirs")]));
  const [theirs = ""] = readdirSync(join(made.owner.home.cache, "documents"));
  await answer(made, says("keep it", "c2", [file("mine")]));
  const [mine = ""] = readdirSync(join(made.owner.home.cache, "documents")).filter((name) => name !== theirs);
  const at = (name: string) => join(made.owner.home.cache, "documents", name);
  const [own, others] = await outcomes(made, [
    ["read_file", { path: at(mine) }],
    ["read_file", { path: at(theirs) }],
  ]);
  assert.match(own ?? "", /mine/);
  assert.match(others ?? "", /Refusing to read/);
  assert.match(
    await answer(made, says(uses("read_file", { path: at(mine) }), "c1")),
    /mine/,
    "the admin's chat sees all",
  );
});

test("P7: an answer to a member takes no file of the home along that is not his chat's own", async (t) => {
  const made = await chatGateway(t, {
    script: ({ messages }) => ({ text: /say: (.*)$/s.exec(String(messages.at(-1)?.content))?.[1] ?? "heard" }),
    env: ENV,
  });
  const output = join(made.owner.home.dir, "cron/output/j1");
  mkdirSync(output, { recursive: true });
  writeFileSync(join(output, "1.md"), SECRET);
  const told = says(`say: here MEDIA:${output}/1.md`);
  await made.deliver(told);
  await made.deliver(says(`say: here MEDIA:${output}/1.md`, "c1"));
  const shown = await made.shown(3);
  assert.deepEqual(
    shown.flatMap(({ chat, file }) => (file === undefined ? [] : [[chat, file.name]])),
    [["c1", "1.md"]],
  );
});

test("P6: the model of a member's chat is offered no programs unless the settings say so, and then they stay out of the home", async (t) => {
  // All that is offered stands in the request: nothing is behind tool_search.
  const made = await world(t, {}, 'tools:\n  tool_search:\n    enabled: "false"\n');
  await answer(made, says("hello"));
  const offered = () => offeredIn(made);
  const programs = ["terminal", "process", "execute_code", ofServer.name];
  for (const name of programs) assert.ok(!offered().includes(name), name);
  assert.ok(offered().includes("read_file"));
  await answer(made, says("hello", "c1"));
  for (const name of programs) assert.ok(offered().includes(name), name);
});

test("P6: a member who is offered a terminal does not reach the home by commands that name it", async (t) => {
  const made = await world(t, {}, "gateway:\n  members_run_programs: true\n");
  const [named, linked, harmless] = await outcomes(made, [
    ["terminal", { command: "cat ~/home/SOUL.md" }],
    ["terminal", { command: "cat link/SOUL.md", workdir: made.owner.work }],
    ["terminal", { command: "echo a; ls" }],
  ]);
  for (const one of [named, linked]) assert.match(one ?? "", /BLOCKED/);
  assert.match(harmless ?? "", /"exit_code":0/);
  assert.match(await answer(made, says(uses("terminal", { command: "cat ~/home/SOUL.md" }), "c1")), /zebra of/);
});

const PLACES: readonly (readonly [string, Readonly<Record<string, string>>, Partial<Inbound["source"]>, boolean])[] = [
  ["where nobody is admin, in a direct chat", { MSGT_ALLOW_ADMIN_FROM: "" }, {}, true],
  ["where nobody is admin, in a group", { MSGT_ALLOW_ADMIN_FROM: "" }, { chatType: "group" }, false],
  [
    "where another one alone is on the list",
    { MSGT_ALLOW_ADMIN_FROM: "", MSGT_ALLOWED_USERS: "u-c1", MSGT_GROUP_ALLOWED_CHATS: "c2" },
    { chatType: "group" },
    false,
  ],
  [
    "in a thread of whoever alone may talk",
    { MSGT_ALLOW_ADMIN_FROM: "", MSGT_ALLOWED_USERS: "u-c2" },
    { chatType: "thread", threadId: "7" },
    true,
  ],
  [
    "in a thread where others may talk",
    { MSGT_ALLOW_ADMIN_FROM: "u-c2" },
    { chatType: "thread", threadId: "7" },
    false,
  ],
];

for (const [where, env, source, there] of PLACES) {
  test(`programs are ${there ? "" : "not "}offered ${where}`, async (t) => {
    const made = await world(t, env);
    const event = says("hello");
    await answer(made, { ...event, source: { ...event.source, ...source } });
    assert.equal(offeredIn(made).includes("terminal"), there);
  });
}

test("P6: a member's chat is told of no other chat, and writes to none", async (t) => {
  const made = await world(t);
  await answer(made, says("hello", "c1"));
  const targets = await answer(made, says(uses("send_message", { action: "list" })));
  assert.match(targets, /"target":"msgt:c2"/);
  assert.doesNotMatch(targets, /c1/);
  const before = made.platform.ledger.length;
  const wrong = ["msgt:c1", "msgt", "all", "origin,msgt:c1", "#c1", "MSGT:C1", "msgt:nobody", "local,msgt"];
  const told = await outcomes(made, [
    ...wrong.map((target): Call => ["send_message", { target, message: "from a member" }]),
    ["send_message", { action: "react", target: "msgt:c1", message_id: "1", emoji: "x" }],
  ]);
  for (const one of told) assert.match(one, /writes to that chat only/);
  assert.ok(made.platform.ledger.slice(before).every(({ chat }) => chat === "c2"));
  await made.deliver(says(uses("send_message", { target: "origin", message: "to myself" })));
  assert.ok(
    (await made.shown(made.platform.ledger.length + 1)).some(({ chat, text }) => chat === "c2" && text === "to myself"),
  );
});

test("P6: a member's chat sees, changes, ends and runs no job of someone else's, and has none made that reaches further than itself", async (t) => {
  const made = await world(t);
  const { cron } = made.owner.app;
  const { job } = await cron.create({ schedule: "every 2h", prompt: "theirs", name: "theirs", deliver: "local" });
  assert.doesNotMatch(await answer(made, says(uses("cronjob", { action: "list" }))), /theirs/);
  const actions = ["pause", "resume", "remove", "run", "update"];
  const refused = await outcomes(
    made,
    actions.flatMap((action) =>
      [job.id, "theirs"].map((job_id): Call => ["cronjob", { action, job_id, prompt: "mine" }]),
    ),
  );
  for (const one of refused) assert.match(one, /was not made in this chat/);
  const wide = [
    { deliver: "all" },
    { deliver: "msgt:c1" },
    { deliver: "origin,msgt" },
    { script: "x.sh" },
    { no_agent: true },
    { context_from: ["theirs"] },
    { workdir: made.owner.home.logs },
  ];
  const create = { action: "create", schedule: "every 2h", prompt: "x" };
  for (const [n, one] of (
    await outcomes(
      made,
      wide.map((more) => ["cronjob", { ...create, ...more }]),
    )
  ).entries())
    assert.match(one, /"success":false/, JSON.stringify(wide[n]));
  const own = await outcomes(made, [
    ["cronjob", { ...create, name: "mine" }],
    ["cronjob", { action: "pause", job_id: "mine" }],
  ]);
  for (const one of own) assert.match(one, /"success":true/);
  assert.match(await answer(made, says(uses("cronjob", { action: "list" }), "c1")), /theirs|mine/);
  assert.deepEqual((await cron.list(true)).map(({ name, state }) => [name, state]).sort(), [
    ["mine", "paused"],
    ["theirs", "scheduled"],
  ]);
});
