import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { kanban, slash } from "../../fixtures/sim/board-cli.js";
import { type BoardWorld, DEFAULT, setupBoard, USER } from "../../fixtures/sim/board-world.js";
import type { ChatOrigin } from "../contracts/board/notify.js";
import type { ChatMember } from "../contracts/chat/slash.js";
import { isSlash } from "./invocation.js";

const CHAT: ChatOrigin = { platform: "msgt", chat_id: "5", thread_id: "7", user_id: "u1", user_name: "Ann" };
const MEMBER: ChatMember = { tier: "member", group: true, allows: [] };

const make = async ({ board }: BoardWorld, title = "one") => (await board.create(DEFAULT, { title }, USER)).task.id;

const TYPED: readonly (readonly [string, boolean])[] = [
  ["/kanban list", true],
  ["/", true],
  ["/kanban\nlist", true],
  ["/etc/passwd is what", false],
  [" /kanban list", false],
  ["what is /kanban", false],
];

for (const [text, command] of TYPED) {
  test(`${JSON.stringify(text)} is ${command ? "a command" : "a message"}`, () => assert.equal(isSlash(text), command));
}

test("a command in a chat answers what the command line prints", async (t) => {
  proves(t, "slash.kanban.parity");
  const world = setupBoard(t);
  const made = await slash(world, '/kanban create "say \\"hi\\"" --assignee alice');
  const [task] = (await kanban(world, ["list", "--json"])).json<{ id: string; title: string }[]>();
  assert.deepEqual(
    [made.text, made.exit, task?.title],
    [`Created ${task?.id}  (ready, assignee=alice)`, 0, 'say "hi"'],
  );
  for (const words of [["list"], ["show", task?.id ?? ""], ["stats"], ["why", task?.id ?? ""], ["list", "--json"]]) {
    const answer = await slash(world, `/kanban ${words.join(" ")}`);
    assert.equal(answer.text, (await kanban(world, words)).out.trimEnd());
  }
});

test("the log of a worker is told in a chat, and not followed", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  const path = world.board.places(DEFAULT).log(id);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "what it said\n");
  assert.equal((await slash(world, `/kanban log ${id}`)).text, "what it said");
  assert.equal((await slash(world, `/kanban log ${id} -f`)).exit, 1);
});

test("a diff shows files, so that it is for members who may write", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  assert.match((await slash(world, `/kanban diff ${id}`)).text, /does not have a worktree/);
  assert.match(
    (await slash(world, `/kanban diff ${id}`, { origin: CHAT, member: MEMBER })).text,
    /you may not use \/kanban diff/,
  );
});

test("a beginning of three letters is enough, a prefix of an id as well", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  assert.match((await slash(world, `/kan show ${id.slice(0, 5)}`)).text, new RegExp(`^Task ${id}: one`));
  assert.equal((await slash(world, "/ka list")).exit, 2);
});

const WRONG: readonly (readonly [string, RegExp])[] = [
  ["/kanban bogus", /unknown command 'bogus'/],
  ["/kanban lst", /did you mean 'list'\?/],
  ['/kanban create "x', /unclosed quote at character 15/],
  ["/kanban create", /missing <title>/],
  ["/kanban create x --priority high", /--priority must be a number/],
  ["/kanban create x --nope", /unknown option '--nope'/],
  ["/kanban create x --max-runtime soon", /invalid duration/],
  ["/kanban create x --yolo", /--yolo is not available in a chat/],
  ["/kanban create x --body -", /standard input is not available in a chat/],
  ["/kanban link a", /missing <child>/],
];

for (const [text, reason] of WRONG) {
  test(`a usage error names what is wrong and how it is written: ${text}`, async (t) => {
    const { text: said, exit, error } = await slash(setupBoard(t), text);
    const [first, why, usage] = said.split("\n");
    assert.equal(first, "⚠ /kanban usage error");
    assert.match(why ?? "", reason);
    assert.match(usage ?? "", /^usage: \/kanban /);
    assert.deepEqual([exit, error?.code], [2, "E_USAGE"]);
  });
}

test("an unknown command names the nearest one and says how to send it as text", async (t) => {
  const { text, exit } = await slash(setupBoard(t), "/kanbam list");
  assert.match(text, /^Unknown command \/kanbam, did you mean \/kanban\?\n.*space before the slash/);
  assert.equal(exit, 2);
});

const ELSEWHERE: readonly (readonly [string, RegExp])[] = [
  ["/lsp", /^\/lsp is not available in a session\n.*run agent lsp in a shell/],
  ["/show 3", /^\/show is available in line mode only/],
  ["/shw", /^Unknown command \/shw\n/],
  ["/zzz", /^Unknown command \/zzz\n/],
  ["/hlep", /^Unknown command \/hlep, did you mean \/help\?/],
];

for (const [text, said] of ELSEWHERE)
  test(`${text} gets no wild guess`, async (t) => {
    const answer = await slash(setupBoard(t), text);
    assert.match(answer.text, said);
    assert.equal(answer.exit, 2);
  });

const HELP: readonly (readonly [string, RegExp])[] = [
  ["/help", /^ {2}kanban /m],
  ["/", /^ {2}kanban /m],
  ["/kanban", /^ {2}create +Create a task\./m],
  ["/kanban help", /^ {2}create /m],
  ["/kanban ?", /^ {2}create /m],
  ["/kanban --help", /^ {2}create /m],
  ["/kanban notify", /^ {2}subscribe /m],
  ["/kanban create -h", /^Create a task\.\n\/kanban create <title>\n/],
  ["/help kanban create", /^Create a task\.\n/],
];

for (const [text, says] of HELP) {
  test(`${text} helps, in a chat in at most 3800 characters`, async (t) => {
    const world = setupBoard(t);
    const answer = await slash(world, text);
    assert.match(answer.text, says);
    assert.equal(answer.exit, 0);
    assert.ok([...(await slash(world, text, { origin: CHAT })).text].length <= 3900);
  });
}

test("on a screen, which scrolls, the list of commands is whole", async (t) => {
  const { text } = await slash(setupBoard(t), "/help");
  assert.doesNotMatch(text, /truncated/);
  assert.match(text, /^ {2}yolo /m);
});

test("/details on, off and toggle are for everything: with a part they are refused, not taken for all parts", async (t) => {
  const world = setupBoard(t);
  const refused = await slash(world, "/details on tools");
  assert.equal(refused.exit, 2);
  assert.match(refused.text, /on applies to the whole conversation, not to tools alone/);
  assert.deepEqual((await slash(world, "/details hidden tools")).next, {
    screen: { settings: { "display.details.tools": "hidden" } },
  });
});

test("a word of a text that is also a word for help stays a word", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  assert.equal((await slash(world, `/kanban comment ${id} please help`)).exit, 0);
  assert.equal((await world.board.show(DEFAULT, id)).comments[0]?.text, "please help");
});

test("five hundred tasks are listed in 3800 characters and a line that says what is missing", async (t) => {
  proves(t, "slash.kanban.gateway");
  const world = setupBoard(t, { rehearse: false });
  for (let n = 0; n < 500; n++) await make(world, `task ${n}`);
  const { text, data } = await slash(world, "/kanban list");
  const lines = text.split("\n");
  assert.match(lines.pop() ?? "", /^… \(truncated, \d+ more characters\)$/);
  assert.ok([...lines.join("\n")].length <= 3800);
  assert.equal(Array.isArray(data) && data.length, 500);
});

test("a chat that creates a task is subscribed and told so, and its user has made it", async (t) => {
  const world = setupBoard(t);
  const { text } = await slash(world, "/kanban create x", { origin: CHAT });
  const id = /t_[0-9a-f]{8}/.exec(text)?.[0] ?? "";
  assert.match(text, /^Created t_.*\nThis chat is subscribed/);
  const { task, subscriptions } = await world.board.show(DEFAULT, await world.board.find(DEFAULT, id));
  const [sub] = subscriptions;
  assert.deepEqual(
    [task.created_by, sub?.platform, sub?.chat_id, sub?.thread_id, sub?.user_id],
    ["chat:msgt:u1", "msgt", "5", "7", "u1"],
  );
  const json = await slash(world, "/kanban create y --idempotency-key k --json", { origin: CHAT });
  assert.equal(JSON.parse(json.text).subscribed, "msgt:5");
  const again = await slash(world, "/kanban create y --idempotency-key k", { origin: { ...CHAT, chat_id: "6" } });
  assert.match(again.text, /^Already exists: .*\nThis chat is subscribed/);
  assert.equal((await world.board.subscriptions(DEFAULT)).length, 3);
});

test("at the terminal nothing is subscribed: no one could be told there", async (t) => {
  const world = setupBoard(t);
  await slash(world, "/kanban create x");
  assert.deepEqual(await world.board.subscriptions(DEFAULT), []);
});

test("in a chat the chat is what notify means, and a comment has the name of its writer", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  assert.equal(
    (await slash(world, `/kanban notify subscribe ${id}`, { origin: CHAT })).text,
    `Subscribed msgt:5 to ${id}`,
  );
  assert.equal(
    (await slash(world, `/kanban notify unsubscribe ${id}`, { origin: CHAT })).text,
    `Unsubscribed from ${id}`,
  );
  await slash(world, `/kanban comment ${id} hi`, { origin: CHAT });
  const [comment] = (await world.board.show(DEFAULT, id)).comments;
  assert.deepEqual([comment?.author, comment?.author_kind], ["Ann", "human"]);
});

test("what phones and platforms make of a command is understood", async (t) => {
  const world = setupBoard(t);
  const { text } = await slash(world, "/kanban@my_bot create x \u2014triage", { origin: CHAT });
  assert.match(text, /\(triage, /);
});

const CLOSED: readonly (readonly [string, boolean])[] = [
  ["/kanban tail ID", true],
  ["/kanban watch", true],
  ["/kanban log ID -f", true],
  ["/kanban create x --body-file /etc/hostname", false],
];

for (const [text, everywhere] of CLOSED) {
  test(`${text} is refused with a hint ${everywhere ? "in every chat" : "on messaging platforms"} and changes nothing`, async (t) => {
    const world = setupBoard(t);
    const id = await make(world);
    const line = text.replace("ID", id);
    const refused = await slash(world, line, { origin: CHAT });
    assert.deepEqual([refused.exit, refused.error?.code], [1, "E_FORBIDDEN"]);
    assert.match(refused.text, /is not available in a chat: .{20}/);
    assert.equal((await slash(world, line)).exit, everywhere ? 1 : 0);
    assert.equal((await world.board.list(DEFAULT, {})).length, everywhere ? 1 : 2);
  });
}

test("a refusal or a warning in a chat begins with what is wrong, not with the name of the program", async (t) => {
  const world = setupBoard(t);
  for (const line of [
    "/kanban show t_00000000",
    "/kanban unblock t_00000000",
    "/kanban create x --assignee nobody-of-that-name",
  ]) {
    const { text } = await slash(world, line, { origin: CHAT });
    assert.ok(text.length > 20, text);
    assert.doesNotMatch(text, /^(agent|kanban): /m, line);
  }
  assert.match((await slash(world, "/kanban show t_00000000")).text, /^kanban: no such task/);
});

const TIERS: readonly (readonly [string, ChatMember, boolean])[] = [
  ["/kanban list", MEMBER, true],
  ["/kanban create x", MEMBER, true],
  ["/kanban comment ID hi", MEMBER, true],
  ["/kanban notify subscribe ID", MEMBER, true],
  ["/kanban notify subscribe ID --platform msgt --chat-id 5", MEMBER, true],
  ["/kanban notify subscribe ID --platform msgt --chat-id 6", MEMBER, false],
  ["/kanban block ID", MEMBER, false],
  ["/kanban boards pause", MEMBER, false],
  ["/kanban block ID", { ...MEMBER, allows: ["kanban"] }, true],
  ["/kanban boards pause", { ...MEMBER, tier: "admin" }, true],
  ["/kanban block ID", { group: true, allows: [] }, true],
  ["/kanban boards pause", { group: true, allows: [] }, false],
  ["/kanban boards pause", { group: false, allows: [] }, true],
];

for (const [text, member, may] of TIERS) {
  const who = `${member.tier ?? "somebody without tiers"}${member.group ? " of a group" : ""}${member.allows.length > 0 ? " who is allowed it" : ""}`;
  test(`${who} ${may ? "may" : "may not"} ${text}`, async (t) => {
    const world = setupBoard(t);
    const id = await make(world);
    const before = await world.board.lastEvent(DEFAULT);
    const { exit, error } = await slash(world, text.replace("ID", id), { origin: CHAT, member });
    assert.deepEqual([exit, error?.code], may ? [0, undefined] : [1, "E_FORBIDDEN"]);
    if (!may)
      assert.deepEqual(
        [await world.board.lastEvent(DEFAULT), (await world.board.subscriptions(DEFAULT)).length],
        [before, 0],
      );
  });
}

test("a chat that makes a swarm is subscribed to its root and to its result, and told so", async (t) => {
  const world = setupBoard(t);
  const line = "/kanban swarm goal --worker alice:one --worker bob:two --verifier alice --synthesizer bob";
  const { text } = await slash(world, line, { origin: CHAT });
  assert.match(text, /\nThis chat is subscribed/);
  const subs = await world.board.subscriptions(DEFAULT);
  assert.deepEqual(
    subs.map((one) => one.task_id),
    [/swarm (t_\w+)/.exec(text)?.[1], /synthesizer: (t_\w+)/.exec(text)?.[1]],
  );
});

test("who can show what goes on is given the command line of tail, watch and log -f; a platform is not", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  for (const line of [`/kanban tail ${id}`, "/kan watch --kinds blocked", `/kanban log ${id} -f`]) {
    const { follow, exit } = await slash(world, line, { follows: true });
    assert.deepEqual([exit, follow?.[0]], [0, "kanban"]);
    assert.equal((await slash(world, line, { follows: true, origin: CHAT })).error?.code, "E_FORBIDDEN");
  }
});

test("the daemon is in no chat, and the answer says what to do instead", async (t) => {
  const { text, error } = await slash(setupBoard(t), "/kanban daemon --force");
  assert.deepEqual([error?.code, text.includes("agent --headless")], ["E_FORBIDDEN", true]);
});
