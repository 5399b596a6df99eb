import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type ChatOwner, type ChatOwnerOptions, chatOwner } from "../../../fixtures/sim/chat-owner.js";
import { delegating, isChild } from "../../../fixtures/worlds/children.js";
import { call, rounds } from "../../../fixtures/worlds/run-code.js";
import type { LiveDelta } from "../../backplane/bus.js";
import type { CallContext, ClientContext } from "../../backplane/methods.js";
import type { BoardSlug } from "../../base/units.js";
import type { Actor } from "../../contracts/board/board.js";
import { RUNS_TOPIC, type RunFacts, type RunInfo, type RunList } from "../../contracts/board/runs.js";
import { ownerMethods } from "../owner-methods.js";

const DEFAULT = "default" as BoardSlug; // a slug by its form
const USER: Actor = { kind: "human", name: "user" };

/** A real owner, its methods for front ends, and what it tells those that follow its runs. */
async function setup(t: TestContext, script: ChatOwnerOptions["script"]) {
  const owner = await chatOwner(t, { script });
  const methods = ownerMethods(owner.app, []);
  const ask = async <T>(name: string, params: object): Promise<T> => {
    const method = methods.get(name) ?? assert.fail(name);
    return (await method.run(method.params.parse(params), {} as ClientContext, {} as CallContext)) as T; // these methods ask nothing of their caller
  };
  return {
    owner,
    list: async () => (await ask<RunList>("runs.list", {})).runs,
    facts: (id: string) => ask<RunFacts>("runs.info", { id }),
  };
}

/** Rows as they are told; the first that fits. */
function following(t: TestContext, { app }: ChatOwner) {
  const told: LiveDelta[] = [];
  let wake: () => void = () => undefined;
  t.after(
    app.bus.onDelta(RUNS_TOPIC, (delta) => {
      told.push(delta);
      wake();
    }),
  );
  return async (fits: (delta: LiveDelta) => boolean): Promise<LiveDelta> => {
    for (;;) {
      const found = told.find(fits);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
}

const kinds = (runs: readonly RunInfo[]) => runs.map(({ kind, state }) => `${kind} ${state}`);
const row = ({ event, data }: LiveDelta) => (event === "run.changed" ? (data as unknown as RunInfo) : undefined); // this event brings a row

test("a child and the turn that waits for it are listed while they work; the child stays with how it ended", async (t) => {
  const { owner, list, facts } = await setup(t, (request) => {
    if (!isChild(request)) return delegating({ goal: "look at it" }, [])(request);
    return rounds(request) === 0 ? call("read_file", { path: "a.txt" }) : { hold: "child", text: "seen" };
  });
  const seen = following(t, owner);
  const turn = owner.ask("do it");
  const told = row(
    await seen((delta) => row(delta)?.kind === "child" && row(delta)?.activity.startsWith("read_file") === true),
  );
  assert.deepEqual([told?.title, told?.state, told?.ended_at, told?.waits], ["look at it", "running", null, false]);
  assert.deepEqual(kinds(await list()).toSorted(), ["child running", "turn running"]);
  assert.match(JSON.stringify(await facts(told?.id ?? "")), /look at it.*fake-1/);
  owner.model.release("child");
  await turn;
  await seen((delta) => row(delta)?.kind === "child" && row(delta)?.state === "completed");
  await seen(({ event, data }) => event === "run.gone" && String(data["id"]).startsWith("turn:"));
  const [child] = await list();
  assert.deepEqual(
    [child?.kind, child?.state, child?.ended_at !== null, (child?.tokens ?? 0) > 0],
    ["child", "completed", true, true],
  );
});

test("a background process is listed under the conversation that started it", async (t) => {
  const { owner, list } = await setup(t, [
    call("terminal", { command: "sleep 300", background: true }),
    { text: "started" },
  ]);
  const seen = following(t, owner);
  const turn = await owner.ask("start it", { yolo: true });
  const told = row(await seen((delta) => row(delta)?.kind === "process"));
  assert.deepEqual([told?.title, told?.state, told?.session], ["sleep 300", "running", turn.session_id]);
  const [process] = (await list()).filter(({ kind }) => kind === "process");
  assert.equal(await owner.chat.processKill(turn.session_id, process?.process ?? ""), true);
  const ended = row(await seen((delta) => row(delta)?.kind === "process" && row(delta)?.ended_at !== null));
  assert.equal(ended?.state, "terminated");
});

test("a run of the board is told when it begins and when it ends; what is known of it is asked for", async (t) => {
  const { owner, list, facts } = await setup(t, []);
  const seen = following(t, owner);
  const { board } = owner.app;
  const { task } = await board.create(DEFAULT, { title: "by hand", external: true }, USER);
  const claim = await board.claimOutside(DEFAULT, task.id, {}, USER);
  const told = row(await seen((delta) => row(delta)?.kind === "task"));
  assert.deepEqual([told?.title, told?.state, told?.task?.id], ["by hand", "running", task.id]);
  const known = new Map((await facts(told?.id ?? "")).facts);
  assert.deepEqual([known.get("attempt"), known.get("board")], [`1 of 1 (run ${claim.run_id})`, "default"]);
  await board.reclaim(DEFAULT, task.id, undefined, USER);
  const ended = row(await seen((delta) => row(delta)?.state === "reclaimed"));
  assert.notEqual(ended?.ended_at, null);
  assert.deepEqual(kinds(await list()), ["task reclaimed"]);
  await assert.rejects(facts("task:default/99"), { code: "E_NOT_FOUND" });
});
