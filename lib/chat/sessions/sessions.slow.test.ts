import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { openFileStore } from "../../../storage/file/open.js";
import { sessionMigrations } from "../../../storage/schema/sessions.js";
import { AppError } from "../../base/errors.js";
import { layOutHome } from "../../base/home.js";
import { randomIds } from "../../base/ids.js";
import { silentLog } from "../../base/log/log.js";
import type { SessionId } from "../../base/units.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import { openTranscript } from "../transcript/transcript.js";
import { exportLineage } from "./export.js";
import { createSessions, type SessionInput } from "./sessions.js";
import { completeDeletions, deleteLineage } from "./sessions-delete.js";
import { createSessionSearch } from "./sessions-search.js";

function setup(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "sessions-"));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const home = layOutHome(dir);
  const clock = manualClock("2026-03-01T12:00:00Z");
  const open = () => {
    const spec = { name: "sessions", path: home.sessions, kind: "sessions", migrations: sessionMigrations } as const;
    const store = openFileStore(spec, { host: "inline", clock, log: silentLog });
    t.after(() => store.close());
    return store;
  };
  const store = open();
  const sessions = createSessions({ store, clock, ids: randomIds });
  const make = async (said: string, more: Partial<SessionInput> = {}): Promise<SessionRecord> => {
    clock.advance(60_000);
    const session = await sessions.create({
      source: "cli",
      cwd: "/work",
      profile: "default",
      model: "m",
      provider: "p",
      ...more,
    });
    const transcript = openTranscript({ store, clock }, session);
    const { turn } = await transcript.beginTurn({ role: "user", content: said });
    const calls = [{ id: "c", name: "terminal", arguments: `{"command":"echo ${said}"}` }];
    await transcript.append(turn, [
      { role: "assistant", content: `heard ${said}`, toolCalls: calls, reasoning: `think ${said}` },
      { role: "tool", content: `tool ${said}`, toolCallId: "c", toolName: "terminal", status: "ok" },
    ]);
    await transcript.setRecord("todo", JSON.stringify([said]));
    await transcript.event(turn, "tool.ended", { preview: said });
    await transcript.draft(turn, `draft ${said}`);
    // Only the reason is read by the store.
    await transcript.endTurn(turn, { exit_reason: "text_response", final_response: said } as never);
    return (await sessions.get(session.id)) ?? session;
  };
  const removed: string[] = [];
  const files = {
    remove: (lineage: string, ids: readonly string[]) => {
      removed.push(lineage, ...ids);
    },
    backups: () => ["/backups/old"],
  };
  const deps = { store, clock, files };
  return { dir, clock, store, sessions, make, deps, open, removed };
}

const fails = (code: string) => (error: unknown) => error instanceof AppError && error.code === code;

test("a session is found by its id, by a beginning of it that no other has, and by its title", async (t) => {
  const { sessions, make } = setup(t);
  const one = await make("first words");
  const two = await make("second words");
  assert.equal((await sessions.find(one.id)).id, one.id);
  assert.equal((await sessions.find(two.id.slice(0, -2))).id, two.id);
  assert.equal((await sessions.find("second words")).id, two.id);
  await assert.rejects(sessions.find("20260301"), (error: unknown) => {
    assert.ok(error instanceof AppError && error.code === "E_AMBIGUOUS");
    assert.equal((error.data["candidates"] as unknown[]).length, 2);
    return true;
  });
  await assert.rejects(sessions.find("nothing like it"), fails("E_NOT_FOUND"));
  await assert.rejects(sessions.find("  "), fails("E_INVALID"));
});

test("of several sessions with numbered titles the highest number is found", async (t) => {
  const { sessions, make } = setup(t);
  for (const title of ["plan", "plan #2", "plan #10", "plan #9", "planning"]) await make("x", { title });
  assert.equal((await sessions.find("plan")).title, "plan #10");
});

test("the list has one row per lineage with its newest segment, newest activity first, and hides helpers", async (t) => {
  const { sessions, make } = setup(t);
  const old = await make("old one");
  const newer = await make("new one");
  const segment = await make("goes on", { parent: { session: old, relation: "compaction" } });
  await make("hidden", { source: "subagent" });
  await make("hidden", { parent: { session: old, relation: "delegate" } });
  const listed = await sessions.list({});
  assert.deepEqual(
    listed.map((session) => [session.id, session.preview]),
    [
      [segment.id, "old one"],
      [newer.id, "new one"],
    ],
  );
  await sessions.archive(newer.id, true);
  assert.deepEqual(
    (await sessions.list({ archived: true })).map((session) => session.id),
    [newer.id],
  );
  assert.equal((await sessions.list({ source: "gateway" })).length, 0);
  assert.equal((await sessions.list({ cwd: "/elsewhere" })).length, 0);
});

test("a title is cleaned, at most 100 characters, and used by one open session", async (t) => {
  const { sessions, make } = setup(t);
  const one = await make("one");
  const two = await make("two");
  assert.equal((await sessions.rename(one.id, "  my\t \u202eplan\u200b ")).title, "my plan");
  await assert.rejects(sessions.rename(two.id, "my plan"), fails("E_CONFLICT"));
  await assert.rejects(sessions.rename(two.id, "x".repeat(101)), fails("E_INVALID"));
  await assert.rejects(sessions.rename(two.id, "\u200b"), fails("E_INVALID"));
  await assert.rejects(sessions.rename("nobody" as SessionId, "x"), fails("E_NOT_FOUND"));
  await sessions.rename(one.id, "my plan");
});

test("going on with a compacted segment goes on with the newest one of its lineage", async (t) => {
  const { sessions, make } = setup(t);
  const old = await make("old one");
  await sessions.end(old.id, "compaction");
  const segment = await make("goes on", { parent: { session: old, relation: "compaction" } });
  const opened = await sessions.reopen(old.id, "/there");
  assert.deepEqual(opened, await sessions.get(segment.id));
  assert.equal(opened.cwd, "/there");
  await assert.rejects(sessions.reopen("nobody" as SessionId, "/"), fails("E_NOT_FOUND"));
});

test("messages come in pages, by their place in the conversation", async (t) => {
  const { sessions, make } = setup(t);
  const { id } = await make("one");
  const all = await sessions.messages(id);
  assert.deepEqual(
    all.map((message) => message.role),
    ["user", "assistant", "tool"],
  );
  const last = await sessions.messages(id, { limit: 1 });
  assert.deepEqual(last, all.slice(2));
  assert.deepEqual(await sessions.messages(id, { before: all[2]?.ordinal ?? 0, limit: 1 }), all.slice(1, 2));
  assert.deepEqual(await sessions.messages(id, { after: all[0]?.ordinal ?? 0, limit: 1 }), all.slice(1, 2));
});

const FORMATS = ["md", "json", "jsonl"] as const;
for (const format of FORMATS) {
  test(`an export as ${format} has every message of every segment once`, async (t) => {
    const { store, make } = setup(t);
    const one = await make("alpha");
    const two = await make("omega", { parent: { session: one, relation: "compaction" } });
    let text = "";
    for await (const chunk of exportLineage(store, two.id, format)) text += chunk;
    for (const said of ["heard alpha", "tool alpha", "heard omega", "tool omega"])
      assert.equal(text.split(said).length - 1, 1, said);
    if (format === "json") assert.equal(JSON.parse(text).messages.length, 6);
    if (format === "jsonl")
      assert.equal(
        text
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)).length,
        8,
      );
  });
}

test("a code fence in an exported text cannot close the fence around it", async (t) => {
  const { store, make } = setup(t);
  const { id } = await make("```\ncode\n````");
  let text = "";
  for await (const chunk of exportLineage(store, id, "md")) text += chunk;
  assert.match(text, /`````\ntool ```\ncode\n````\n`````/);
});

/** Words that stand nowhere else. */
const CANARY = /quux(?:zebra|giraffe)|東雲色/;

function grepHome(dir: string): string[] {
  return readdirSync(dir, { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(dir, name)).isFile())
    .filter(
      (name) =>
        CANARY.test(readFileSync(join(dir, name), "utf8")) ||
        /quux(?:zebra|giraffe)/.test(readFileSync(join(dir, name), "utf16le")),
    );
}

test("after a deletion no file of the home holds a word of it, and the other sessions are whole", async (t) => {
  const { dir, make, deps, sessions, store, clock, removed } = setup(t);
  const kept = await make("kept words");
  const one = await make("quuxzebra one 東雲色");
  const two = await make("quuxgiraffe two", { parent: { session: one, relation: "compaction" } });
  const child = await make("quuxzebra child", { parent: { session: two, relation: "delegate" }, source: "subagent" });
  const branch = await make("branch words", { parent: { session: two, relation: "branch" } });
  assert.notDeepEqual(grepHome(dir), []);
  const deleted = await deleteLineage(deps, two.id);
  assert.deepEqual(grepHome(dir), []);
  assert.equal(deleted.sessions, 3);
  assert.equal(deleted.messages, 9);
  assert.deepEqual(deleted.backups, ["/backups/old"]);
  for (const id of [one.id, two.id, child.id]) assert.ok(removed.includes(id), `files of ${id}`);
  assert.ok(!removed.includes(branch.id) && !removed.includes(kept.id));
  assert.equal((await sessions.get(branch.id))?.parent_session_id, null);
  assert.deepEqual((await sessions.list({})).map((session) => session.id).sort(), [kept.id, branch.id].sort());
  const search = createSessionSearch(store, clock);
  assert.equal((await search.search("quuxzebra", { limit: 9 })).hits.length, 0);
  assert.equal((await search.search("kept", { limit: 9 })).hits.length, 1);
  assert.deepEqual(await store.check(), []);
  await store.close();
  assert.deepEqual(grepHome(dir), []);
});

test("a session with a running turn is not deleted", async (t) => {
  const { make, deps, store, clock, sessions } = setup(t);
  const session = await make("words");
  await openTranscript({ store, clock }, session).beginTurn({ role: "user", content: "runs" });
  await assert.rejects(deleteLineage(deps, session.id), fails("E_STATE"));
  assert.equal((await sessions.messages(session.id)).length, 4);
  await assert.rejects(deleteLineage(deps, "nobody" as SessionId), fails("E_NOT_FOUND"));
});

/** Writes of a deletion after which the process ends. */
const CUTS = [1, 2, 3, 4, 5];
for (const cut of CUTS) {
  test(`a deletion cut off after ${cut} of its writes is completed by the next start`, async (t) => {
    const { dir, make, deps, store, open, clock } = setup(t);
    const session = await make("quuxzebra words");
    let left: number = cut;
    const dying: typeof store = Object.create(store, {
      write: {
        value: (label: string, body: never) => {
          if (left === 0) return Promise.reject(new Error("killed"));
          left -= 1;
          return store.write(label, body);
        },
      },
      purge: {
        value: (body: never) => {
          if (left === 0) return Promise.reject(new Error("killed"));
          left -= 1;
          // Committed, but the journal was not emptied.
          return left === 0
            ? store.write("purge", body).then(() => Promise.reject(new Error("killed")))
            : store.purge(body);
        },
      },
      read: { value: store.read.bind(store) },
    });
    const ended = await deleteLineage({ ...deps, store: dying }, session.id).then(
      () => "done",
      () => "killed",
    );
    // The first owner is gone without closing; the files are as it left them.
    const next = open();
    const completed = await completeDeletions({ store: next, clock, files: deps.files });
    assert.equal(completed, ended === "killed" ? 1 : 0);
    assert.deepEqual(grepHome(dir), []);
    assert.equal(await completeDeletions({ store: next, clock, files: deps.files }), 0);
  });
}
