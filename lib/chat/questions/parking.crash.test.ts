import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { openFileStore } from "../../../storage/file/open.js";
import { sessionMigrations } from "../../../storage/schema/sessions.js";
import type { Store } from "../../../storage/store.js";
import { toAppError } from "../../base/errors.js";
import { randomIds } from "../../base/ids.js";
import { silentLog } from "../../base/log/log.js";
import type { FormAsked, ResumedForm } from "../../contracts/chat/form.js";
import { createSessions } from "../sessions/sessions.js";
import { createDesk } from "./desk.js";
import { closeLeftQuestions } from "./ledger.js";

const FORM: FormAsked = {
  title: "Release",
  from: "mcp:ci",
  message: "Which one?",
  fields: [{ name: "tag", label: "Tag", type: "text", required: true }],
};
const WRITES = ["chat.park", "chat.parked-answer", "chat.parked-hand", "chat.parked-done"] as const;
const DEATHS = [
  ...WRITES.flatMap((label) => [`before ${label}`, `after ${label}`]),
  "before the handler works",
  "after the handler worked",
  "never",
];

const never = () => new Promise<never>(() => undefined);
/** Everything that can go on without a clock has gone on. */
const settled = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));

/** A store of an owner that dies at a write: from then on nothing of it is written, and no one is answered. */
function mortal(store: Store, death: string): { readonly store: Store; dead(): boolean; die(): void } {
  let dead = false;
  const write: Store["write"] = async (label, body) => {
    if (dead || death === `before ${label}`) {
      dead = true;
      return never();
    }
    const written = await store.write(label, body);
    if (death !== `after ${label}`) return dead ? never() : written;
    dead = true;
    return never();
  };
  return {
    store: {
      name: store.name,
      read: (body) => store.read(body),
      write,
      script: (...given) => store.script(...given),
      events: (...given) => store.events(...given),
      lastSeq: () => store.lastSeq(),
      onEvents: (listener) => store.onEvents(listener),
      copyTo: (path) => store.copyTo(path),
      purge: (...given) => store.purge(...given),
      close: (how) => store.close(how),
    },
    dead: () => dead,
    die: () => {
      dead = true;
    },
  };
}

for (const death of DEATHS)
  test(`an owner that dies ${death}: the form is shown again or its answer counts once, and reaches its handler`, async () => {
    const dir = mkdtempSync(join(tmpdir(), "agent-parking-"));
    const clock = manualClock();
    const open = () =>
      openFileStore(
        { name: "sessions", path: join(dir, "sessions.db"), kind: "sessions", migrations: sessionMigrations },
        { host: "inline", clock, log: silentLog },
      );
    let file = open();
    try {
      const made = createSessions({ store: file, clock, ids: randomIds });
      const session = await made.create({
        source: "workspace",
        cwd: "/",
        profile: "default",
        model: "m",
        provider: "p",
      });
      const owner = (store: Store) => {
        const lineageOf = async (id: typeof session.id) => (id === session.id ? session.lineage_root : undefined);
        return createDesk({
          clock,
          ids: randomIds,
          log: silentLog,
          kept: async () => store,
          store: async () => store,
          lineageOf,
        });
      };
      const place = { session, turn: null, origin: { session_id: session.id, profile: "default" } };
      const life = mortal(file, death);
      const first = owner(life.store);
      const done: ResumedForm[] = [];
      first.resume("mcp", async (answered) => {
        if (death === "before the handler works") life.die();
        if (life.dead()) return never();
        done.push(answered);
        if (death === "after the handler worked") life.die();
        if (life.dead()) return never();
      });
      const turn = new AbortController();
      let confirmed = false;
      const said: string[] = [];
      const begin = async () => {
        const ticket = { kind: "mcp", data: { state: "opaque" } };
        const parked = first.park(place, FORM, { ticket, signal: turn.signal, timeoutMs: 0, waits: true });
        parked.catch(() => undefined);
        await settled();
        turn.abort();
        const [question] = life.dead() ? [] : await first.questions();
        if (question === undefined) return;
        said.push(question.request);
        await first.answerForm(question.request, { action: "accept", content: { tag: "first" } }, "workspace");
        confirmed = true;
      };
      begin().catch((error: unknown) => assert.fail(toAppError(error).message));
      for (let turns = 0; turns < 20; turns++) await settled();

      await file.close();
      file = open();
      await closeLeftQuestions(file, clock);
      const second = owner(file);
      const before = done.length;
      const [shown] = await second.questions();
      if (death === "before chat.park") {
        assert.equal(shown, undefined);
        return;
      }
      const answered = { action: "accept", content: { tag: "second" } } as const;
      if (shown !== undefined) {
        assert.equal(confirmed, false, "an answer that was confirmed counts");
        await second.answerForm(shown.request, answered, "chat");
      } else for (const request of said) await assert.rejects(second.answerForm(request, answered, "chat"));
      second.resume("mcp", async (one) => void done.push(one));
      for (let turns = 0; turns < 20; turns++) await settled();
      await second.stop();

      const tags = new Set(done.map(({ answer }) => answer.content["tag"]));
      assert.deepEqual([...tags], [shown === undefined ? "first" : "second"]);
      assert.ok(done.length >= 1 && done.length <= 2);
      const handedBefore = [
        "after chat.parked-hand",
        "before chat.parked-done",
        "before the handler works",
        "after the handler worked",
      ];
      for (const one of done.slice(before)) assert.equal(one.again, handedBefore.includes(death));
      const third = owner(file);
      third.resume("mcp", async () => assert.fail("nothing is left to hand over"));
      assert.deepEqual(await third.questions(), []);
      await third.stop();
    } finally {
      await file.close();
      rmSync(dir, { recursive: true, force: true });
    }
  });
