import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { openFileStore } from "../../../storage/file/open.js";
import { sessionMigrations } from "../../../storage/schema/sessions.js";
import type { Store } from "../../../storage/store.js";
import { randomIds } from "../../base/ids.js";
import { silentLog } from "../../base/log/log.js";
import type { FormAsked, ResumedForm } from "../../contracts/chat/form.js";
import { createSessions } from "../sessions/sessions.js";
import { deleteLineage } from "../sessions/sessions-delete.js";
import { createDesk, type ParkOptions, type QuestionDesk } from "./desk.js";
import { closeLeftQuestions } from "./ledger.js";

const FORM: FormAsked = {
  title: "Release",
  from: "mcp:ci",
  message: "Which one?",
  fields: [{ name: "tag", label: "Tag", type: "text", required: true }],
};
const TICKET = { kind: "mcp", data: { requestState: "opaque" } };
const WEEK = 7 * 24 * 3_600_000;

async function setup(t: TestContext) {
  const clock = manualClock();
  const store = openFileStore(
    { name: "sessions", path: "", kind: "sessions", migrations: sessionMigrations },
    { host: "inline", memory: true, clock, log: silentLog },
  );
  t.after(() => store.close());
  const sessions = createSessions({ store, clock, ids: randomIds });
  const session = await sessions.create({
    source: "workspace",
    cwd: "/",
    profile: "default",
    model: "m",
    provider: "p",
  });
  const lineageOf = async (id: typeof session.id) => (await sessions.get(id))?.lineage_root;
  const owner = (kept: Store = store) =>
    createDesk({ clock, ids: randomIds, log: silentLog, kept: async () => kept, store: async () => kept, lineageOf });
  const control = new AbortController();
  const place = { session, turn: null, origin: { session_id: session.id, profile: "default" } };
  const park = (desk: QuestionDesk, how: Partial<ParkOptions> = {}) =>
    desk.park(place, FORM, { ticket: TICKET, signal: control.signal, timeoutMs: 1_000, waits: true, ...how });
  const shown = async (desk: QuestionDesk) => {
    for (;;) {
      const [one] = await desk.questions(session.id);
      if (one !== undefined) return one;
    }
  };
  const events = async () =>
    (await store.events(0, 100))
      .filter(({ kind }) => kind.startsWith("form."))
      .map(({ kind, payload }) => [kind, payload]);
  return { clock, store, sessions, session, owner, control, park, shown, events };
}

/** A handler that keeps what it gets. */
function keeper() {
  const got: ResumedForm[] = [];
  let told: (() => void) | undefined;
  const handler = async (answered: ResumedForm) => {
    got.push(answered);
    told?.();
  };
  const next = () =>
    new Promise<void>((resolve) => {
      told = resolve;
      if (got.length > 0) resolve();
    });
  return { got, handler, next };
}

test("a parked form that is answered in time goes to the call that waits, and to no handler", async (t) => {
  const { owner, park, shown } = await setup(t);
  const desk = owner();
  const { got, handler } = keeper();
  desk.resume("mcp", handler);
  const waiting = park(desk);
  const { request, data } = await shown(desk);
  assert.equal("park" in data && data.park, true);
  await desk.answerForm(request, { action: "accept", content: { tag: "v1" } }, "workspace");
  assert.deepEqual(await waiting, { action: "accept", content: { tag: "v1" } });
  await desk.stop();
  assert.deepEqual(got, []);
  assert.deepEqual(await desk.questions(), []);
});

test("it stays open when its call ends, survives its owner, and its answer goes to the handler with the ticket, once", async (t) => {
  const { owner, park, shown, control, store, clock, session, events } = await setup(t);
  const first = owner();
  const waiting = park(first);
  await shown(first);
  control.abort();
  assert.deepEqual(await waiting, { action: "cancel", content: {}, why: "interrupted" });
  await closeLeftQuestions(store, clock);
  const second = owner();
  const { request } = await shown(second);
  await assert.rejects(second.answerForm(request, { action: "accept", content: {} }, "chat"), { code: "E_INVALID" });
  await second.answerForm(request, { action: "accept", content: { tag: "v1" } }, "chat");
  await assert.rejects(second.answerForm(request, { action: "decline" }, "chat"), { code: "E_ALREADY_RESOLVED" });
  const third = owner();
  const { got, handler, next } = keeper();
  third.resume("mcp", handler);
  await next();
  await third.stop();
  const answer = { action: "accept", content: { tag: "v1" } };
  assert.deepEqual(got, [{ request, session: session.id, ticket: TICKET.data, answer, again: false }]);
  const fourth = owner();
  fourth.resume("mcp", handler);
  await fourth.stop();
  assert.equal(got.length, 1);
  const told = await events();
  assert.deepEqual(told.at(-1), ["form.resolved", { request, answer: "accept", by: "chat" }]);
  assert.equal(told.length, 2);
  assert.ok(!JSON.stringify(told).includes("opaque"), "a ticket is in no event");
});

test("a call waits for a parked form as long as for others, then goes on without it", async (t) => {
  const { owner, park, shown, clock } = await setup(t);
  const desk = owner();
  const waiting = park(desk);
  await shown(desk);
  clock.advance(1_000);
  assert.deepEqual(await waiting, { action: "cancel", content: {}, why: "parked" });
  assert.equal((await desk.questions()).length, 1);
});

test("no one to ask declines at once and keeps nothing", async (t) => {
  const { owner, park } = await setup(t);
  const desk = owner();
  assert.deepEqual(await park(desk, { waits: false }), { action: "decline", content: {}, why: "nobody" });
  assert.deepEqual(await desk.questions(), []);
});

test("a parked form expires after a week, also when it became due while no owner ran", async (t) => {
  for (const restarts of [false, true]) {
    const { owner, park, shown, clock } = await setup(t);
    const first = owner();
    const waiting = park(first, { timeoutMs: 1 });
    await shown(first);
    clock.advance(1);
    await waiting;
    if (restarts) await first.stop();
    clock.advance(WEEK);
    const desk = restarts ? owner() : first;
    const { got, handler, next } = keeper();
    desk.resume("mcp", handler);
    await desk.questions();
    clock.advance(0);
    await next();
    assert.deepEqual(got[0]?.answer, { action: "cancel", content: {}, why: "timeout" });
    assert.deepEqual(await desk.questions(), []);
  }
});

for (const how of ["archive", "delete"] as const)
  test(`a parked form goes with its conversation: ${how}`, async (t) => {
    const { owner, park, shown, sessions, session, control, store, clock } = await setup(t);
    const desk = owner();
    const waiting = park(desk);
    const { request } = await shown(desk);
    control.abort();
    await waiting;
    if (how === "archive") await sessions.archive(session.id, true);
    else await deleteLineage({ store, clock, files: { remove: () => undefined, backups: () => [] } }, session.id);
    assert.deepEqual(await desk.questions(), []);
    await assert.rejects(desk.answerForm(request, { action: "decline" }, "chat"), { code: "E_ALREADY_RESOLVED" });
  });

test("a ticket is JSON of at most 80 KiB", async (t) => {
  const { owner, park } = await setup(t);
  for (const data of ["x".repeat(90_000), undefined])
    await assert.rejects(park(owner(), { ticket: { kind: "mcp", data } }), { code: "E_INVALID" });
});

test("a call that is interrupted while its answer cannot be stored waits no longer", async (t) => {
  const { owner, park, shown, store, control } = await setup(t);
  let fail: (error: Error) => void = () => undefined;
  let begun: () => void = () => undefined;
  const storing = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const stuck = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const write: Store["write"] = (name, body) => {
    if (name !== "chat.parked-answer") return store.write(name, body);
    begun();
    return stuck;
  };
  const desk = owner({ ...store, read: (body) => store.read(body), write });
  const waiting = park(desk);
  const { request } = await shown(desk);
  const answering = desk.answerForm(request, { action: "decline" }, "workspace");
  await storing;
  control.abort();
  fail(new Error("the disk is full"));
  await assert.rejects(answering, /the disk is full/);
  assert.deepEqual(await waiting, { action: "cancel", content: {}, why: "interrupted" });
});
