import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { randomIds } from "../../base/ids.js";
import type { SessionId } from "../../base/units.js";
import { EDITOR_PART_CHARS, type EditorFiles } from "../../contracts/acp/editor-files.js";
import { createEditorDesk } from "./editor-desk.js";

const SESSION = "20260101_000000_000001" as SessionId; // the format is what the brand stands for
const CHANNEL = "00000001";

function opened(t: TestContext) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "agent-editor-")));
  t.after(() => rmSync(root, { recursive: true }));
  const project = join(root, "project");
  mkdirSync(project);
  const clock = manualClock();
  const pokes: string[] = [];
  const desk = createEditorDesk({ clock, ids: randomIds, poke: (channel) => pokes.push(channel) });
  const control = new AbortController();
  const client = { id: 1, signal: control.signal };
  const attach = (roots = [project]) =>
    desk.attach({ session: SESSION, lineage: SESSION, channel: CHANNEL, read: true, write: true, roots }, client);
  attach();
  const files = (): EditorFiles => {
    const found = desk.filesOf(SESSION);
    assert.ok(found);
    return found;
  };
  const take = () => desk.take(CHANNEL, client);
  const only = () => {
    const [asked] = take().requests;
    assert.ok(asked);
    return asked;
  };
  return { root, project, clock, pokes, desk, control, client, attach, files, take, only };
}

const still = new AbortController().signal;

test("an editor is asked for files below the directories of its conversation, by the path that it has opened", async (t) => {
  const { root, project, attach, files, desk, client, only } = opened(t);
  const link = join(root, "link");
  symlinkSync(project, link);
  attach([link]);
  assert.equal(files().reads(join(root, "other", "a.txt")), false);
  assert.equal(files().reads(join(project, "a.txt")), true);
  const reading = files().read(join(project, "a.txt"), still);
  const asked = only();
  assert.deepEqual([asked.session_id, asked.kind, asked.path], [SESSION, "read", join(link, "a.txt")]);
  assert.equal(desk.answer(asked.request, { text: "one ", more: true }, client), true);
  assert.equal(desk.answer(asked.request, { text: "two" }, client), true);
  assert.deepEqual(await reading, { how: "text", text: "one two" });
  assert.equal(desk.answer(asked.request, { text: "late" }, client), false);
});

test("a text to write travels in parts, and a client that did not attach gets none of it", async (t) => {
  const { project, files, desk, client, only } = opened(t);
  const text = "x".repeat(EDITOR_PART_CHARS + 3);
  const writing = files().write(join(project, "a.txt"), text, still);
  const stranger = { id: 2, signal: still };
  assert.deepEqual(desk.take(CHANNEL, stranger), { requests: [], withdrawn: [] });
  const asked = only();
  assert.equal(asked.chars, text.length);
  assert.throws(() => desk.textOf(asked.request, 0, stranger), /no open request/);
  assert.equal(desk.answer(asked.request, {}, stranger), false);
  const first = desk.textOf(asked.request, 0, client);
  const rest = desk.textOf(asked.request, EDITOR_PART_CHARS, client);
  assert.deepEqual([first.more, rest], [true, { text: "xxx", more: false }]);
  desk.answer(asked.request, {}, client);
  assert.deepEqual(await writing, { how: "written" });
});

test("an editor that does not answer fails a read, and leaves a write unknown; both are withdrawn", async (t) => {
  const { project, clock, files, take, only, pokes } = opened(t);
  const path = join(project, "a.txt");
  const reading = files().read(path, still);
  const read = only();
  clock.advance(30_000);
  const failed = await reading;
  assert.ok(failed.how === "failed");
  assert.match(failed.why, /did not answer within 30 s/);
  assert.deepEqual(take().withdrawn, [read.request]);
  const control = new AbortController();
  const writing = files().write(path, "x", control.signal);
  const write = only();
  const before = pokes.length;
  control.abort(new Error("interrupted"));
  assert.equal((await writing).how, "unknown");
  assert.equal(pokes.length, before + 1);
  assert.deepEqual(take(), { requests: [], withdrawn: [write.request] });
  assert.equal(clock.waiting, 0);
});

test("a write that the front end never took was not sent", async (t) => {
  const { project, clock, files, control, desk, take } = opened(t);
  const path = join(project, "a.txt");
  const late = files().write(path, "x", still);
  clock.advance(100_000);
  assert.equal((await late).how, "failed");
  const stopped = new AbortController();
  const interrupted = files().write(path, "x", stopped.signal);
  stopped.abort(new Error("interrupted"));
  await assert.rejects(interrupted, /interrupted/);
  assert.deepEqual(take(), { requests: [], withdrawn: [] });
  const kept = files();
  const left = kept.write(path, "x", still);
  control.abort();
  assert.deepEqual(await left, { how: "gone" });
  assert.deepEqual(await kept.read(path, still), { how: "gone" });
  assert.equal(desk.filesOf(SESSION), undefined);
});

test("a connection that closes in the middle of a write leaves it unknown", async (t) => {
  const { project, files, only, control } = opened(t);
  const writing = files().write(join(project, "a.txt"), "x", still);
  only();
  control.abort();
  assert.deepEqual(await writing, { how: "unknown", why: "the editor has disconnected" });
});

test("of two editors at one conversation the last is asked, and the first again when it has gone", async (t) => {
  const { project, desk, client } = opened(t);
  const other = new AbortController();
  const offer = { session: SESSION, lineage: SESSION, channel: "00000002", read: true, write: false, roots: [project] };
  desk.attach(offer, { id: 2, signal: other.signal });
  assert.equal(desk.filesOf(SESSION)?.writes(join(project, "a")), false);
  other.abort();
  assert.equal(desk.filesOf(SESSION)?.writes(join(project, "a")), true);
  assert.equal(desk.detach(SESSION, client), true);
  assert.equal(desk.detach(SESSION, client), false);
  assert.equal(desk.filesOf(SESSION), undefined);
});

test("a refusal of the editor and a file that it does not have are told apart", async (t) => {
  const { project, files, desk, client, only } = opened(t);
  const reading = files().read(join(project, "a"), still);
  desk.answer(only().request, { error: { kind: "missing", message: "no such file" } }, client);
  assert.deepEqual(await reading, { how: "missing" });
  const writing = files().write(join(project, "a"), "x", still);
  desk.answer(only().request, { error: { kind: "refused", message: "read-only" } }, client);
  assert.deepEqual(await writing, { how: "failed", why: "the editor refused: read-only" });
});
