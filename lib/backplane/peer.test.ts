import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { manualClock } from "../../fixtures/ports/clock.js";
import { nextTurn } from "../base/async/next-turn.js";
import { silentLog } from "../base/log/log.js";
import { createBus } from "./bus.js";
import type { Connection } from "./connection.js";
import { createKeyedCalls, memoryOfKeys } from "./keyed.js";
import { defineMethod, type Methods } from "./methods.js";
import { createPeer, type PeerDeps } from "./peer.js";

test("a call whose client goes while its processes are looked up never runs", async () => {
  let ran = 0;
  let answerLookUp: (fromTool: boolean) => void = () => undefined;
  const lookUp = new Promise<boolean>((resolve) => {
    answerLookUp = resolve;
  });
  const count = defineMethod({
    params: z.object({}),
    access: "write",
    run: async () => {
      ran += 1;
      return ran;
    },
  });
  const peer = createPeer(
    office(new Map([["count", count]])),
    silentConnection(() => lookUp),
    1,
  );
  peer.message(JSON.stringify({ id: 1, method: "count", params: {} }));
  peer.closed();
  answerLookUp(false);
  while (peer.open() > 0) await nextTurn();
  assert.equal(ran, 0);
});

const office = (methods: Methods): PeerDeps => ({
  methods,
  run: async () => ({ exit: 0 }),
  bus: createBus(),
  keyed: createKeyedCalls(memoryOfKeys(manualClock()), memoryOfKeys(manualClock())),
  log: silentLog,
  welcome: { version: "1.2.3", pid: 1, home: "/home" },
  leaving: () => false,
  answered: () => undefined,
});

const silentConnection = (fromTool: () => Promise<boolean>): Connection => ({
  transport: "socket",
  fromTool,
  send: () => undefined,
  room: async () => undefined,
  hasRoom: () => true,
  onRoom: () => undefined,
  end: () => undefined,
  destroy: () => undefined,
});
