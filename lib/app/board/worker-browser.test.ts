import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";
import type { CallContext, ClientContext } from "../../backplane/methods.js";
import { nextTurn } from "../../base/async/next-turn.js";
import { AppError } from "../../base/errors.js";
import { randomIds } from "../../base/ids.js";
import type { BrowserApi, BrowserCommand, BrowserPlace } from "../../contracts/browser/browser.js";
import { workerBrowserMethods } from "../../rpc/board/worker-browser-methods.js";
import { type OwnerBrowser, ownerBrowser } from "../../worker/worker-browser.js";

const CLAIM = { board: "default", task: "t_00000001", run: 7, token: "0".repeat(64) };
const GO: BrowserCommand = { do: "navigate", url: "http://a.test/" };
const HANG: BrowserCommand = { do: "back" };
const never = new AbortController().signal;

/** The owner's half and the worker's, with a browser that notes what it is asked. */
async function setup(t: TestContext, allow: () => Promise<void> = async () => undefined) {
  const owner = await chatOwner(t, { script: [{ text: "done" }] });
  const session = await owner.open();
  const places: BrowserPlace[] = [];
  const released: string[] = [];
  const browser: Partial<BrowserApi> = {
    run: (place, command, signal) => {
      places.push(place);
      if (command.do !== "back") return Promise.resolve({ value: { success: true, did: command.do } });
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    },
    release: async (lineage) => {
      released.push(lineage);
    },
  };
  const clock = manualClock();
  const app = Object.create(owner.app, {
    browser: { value: browser },
    options: { value: { ...owner.app.options, clock } },
  }) as typeof owner.app; // the owner itself with another browser and clock
  const methods = workerBrowserMethods(app, async () => allow());
  const gone = new AbortController();
  const client = { id: 3, claim: CLAIM, signal: gone.signal } as unknown as ClientContext; // these methods read nothing else of it
  const call = async (name: string, params: object) => {
    const method = methods.get(name) ?? assert.fail(name);
    return method.run(method.params.parse(params), client, {} as CallContext); // they ask nothing of the call
  };
  const worker: OwnerBrowser = ownerBrowser({
    call,
    ids: randomIds,
    session: () => session.id,
    activity: () => undefined,
  });
  const place = { lineage: "s_1", session: session.id, dir: "/elsewhere" };
  return { worker, place, places, released, clock, gone, session, home: owner.app.options.home };
}

test("commands of a worker run in the owner, in a context of the run, in the results of its own home", async (t) => {
  const { worker, place, places, home, session } = await setup(t);
  assert.deepEqual(await worker.run(place, GO, never), { value: { success: true, did: "navigate" } });
  const dir = join(home.root, "cache", "results", "s_1", "browser");
  assert.deepEqual(places, [{ lineage: "run default/7 s_1", session: session.id, dir }]);
});

test("a directory outside of the results cannot be named", async (t) => {
  const { worker, place, places } = await setup(t);
  for (const lineage of ["../../x", "/etc", "a/b", ""])
    await assert.rejects(worker.run({ ...place, lineage }, GO, never), lineage);
  assert.deepEqual(places, []);
});

test("an interrupt of the worker stops the command in the owner", async (t) => {
  const { worker, place, places } = await setup(t);
  const control = new AbortController();
  const hanging = worker.run(place, HANG, control.signal);
  while (places.length === 0) await nextTurn();
  control.abort(new Error("interrupted"));
  await assert.rejects(hanging, /interrupted/);
});

test("the contexts of a run go with it: when it ends, and when its worker has been away for half a minute", async (t) => {
  const { worker, place, released, gone, clock } = await setup(t);
  await worker.end();
  assert.deepEqual(released, [], "a run that used no browser has none to end");
  await worker.run(place, GO, never);
  await worker.run({ ...place, lineage: "s_2" }, GO, never);
  await worker.end();
  assert.deepEqual(released, ["run default/7 s_1", "run default/7 s_2"]);
  await worker.run(place, GO, never);
  gone.abort();
  clock.advance(30_000);
  await nextTurn();
  assert.equal(released.length, 3);
});

test("a worker without the claim of its run has no browser", async (t) => {
  const { worker, place, places } = await setup(t, async () => {
    throw new AppError("E_CLAIM_LOST", "lost");
  });
  await assert.rejects(worker.run(place, GO, never), { code: "E_CLAIM_LOST" });
  await assert.rejects(worker.connect("http://127.0.0.1:9222"), { code: "E_STATE" });
  assert.deepEqual(places, []);
});
