import assert from "node:assert/strict";
import { test } from "node:test";
import { rpcOf } from "../../../../fixtures/dashboard/rpc.js";
import type { Frame } from "../../../../fixtures/dashboard/socket.js";
import { dashboardWorld } from "../../../../fixtures/dashboard/world.js";

/** Messages, and what comes back. `undefined`: nothing. */
const CALLS: readonly { readonly name: string; readonly send: unknown; readonly back: unknown }[] = [
  {
    name: "a call with a text as id",
    send: { jsonrpc: "2.0", id: "a", method: "events.unsubscribe", params: { sub: 1 } },
    back: { id: "a", result: { ok: false } },
  },
  {
    name: "a call with the id null",
    send: { jsonrpc: "2.0", id: null, method: "events.unsubscribe", params: { sub: 1 } },
    back: { id: null, result: { ok: false } },
  },
  { name: "no JSON", send: "{oops", back: { id: null, error: -32_700 } },
  { name: "an empty message", send: "", back: { id: null, error: -32_700 } },
  { name: "a number", send: 1, back: { id: null, error: -32_600 } },
  { name: "nothing", send: null, back: { id: null, error: -32_600 } },
  { name: "another version", send: { jsonrpc: "1.0", id: 1, method: "x" }, back: { id: 1, error: -32_600 } },
  { name: "no method", send: { jsonrpc: "2.0", id: 1 }, back: { id: 1, error: -32_600 } },
  { name: "a method that is no text", send: { jsonrpc: "2.0", id: 1, method: 7 }, back: { id: 1, error: -32_600 } },
  {
    name: "parameters by place",
    send: { jsonrpc: "2.0", id: 1, method: "session.list", params: [1] },
    back: { id: 1, error: -32_602 },
  },
  { name: "an unknown method", send: { jsonrpc: "2.0", id: 1, method: "nope" }, back: { id: 1, error: -32_601 } },
  {
    name: "wrong parameters",
    send: { jsonrpc: "2.0", id: 1, method: "session.get", params: {} },
    back: { id: 1, error: -32_602 },
  },
  {
    name: "a refusal of the owner",
    send: { jsonrpc: "2.0", id: 1, method: "kanban.show", params: { id: "t_0000ffff" } },
    back: { id: 1, error: -32_000 },
  },
  {
    name: "an unknown store to follow",
    send: { jsonrpc: "2.0", id: 1, method: "events.subscribe", params: { topics: ["board:nowhere"] } },
    back: { id: 1, error: -32_000 },
  },
  {
    name: "one cursor for two stores",
    send: {
      jsonrpc: "2.0",
      id: 1,
      method: "events.subscribe",
      params: { topics: ["sessions", "board:default"], after: 1 },
    },
    back: { id: 1, error: -32_602 },
  },
  { name: "an empty batch", send: [], back: { id: null, error: -32_600 } },
  {
    name: "a batch of calls, notifications and garbage",
    send: [
      { jsonrpc: "2.0", id: 1, method: "events.unsubscribe", params: { sub: 1 } },
      { jsonrpc: "2.0", method: "session.list" },
      3,
    ],
    back: [
      { id: 1, result: { ok: false } },
      { id: null, error: -32_600 },
    ],
  },
  { name: "a notification, even a wrong one", send: { jsonrpc: "2.0", method: "nope" }, back: undefined },
  { name: "a batch of notifications", send: [{ jsonrpc: "2.0", method: "nope" }], back: undefined },
];
test("JSON-RPC: every message is answered as the protocol says", async (t) => {
  const world = await dashboardWorld(t);
  for (const { name, send, back } of CALLS)
    await t.test(`${name} is answered ${back === undefined ? "with nothing" : "as the protocol says"}`, async (row) => {
      const { socket } = await rpcOf(row, world);
      socket.ws.send(typeof send === "string" ? send : JSON.stringify(send));
      socket.ws.send('{"jsonrpc":"2.0","id":"last","method":"question.list"}');
      const came: unknown[] = [];
      while (back === undefined || came.length === 0) {
        const frame: unknown = await socket.next();
        const id = (frame as Frame)["id"];
        if (Array.isArray(frame)) came.push(frame.map(short));
        else if (id === "last" && back === undefined) break;
        else if (id !== "last" && id !== undefined) came.push(short(frame as Frame));
      }
      assert.deepEqual(came, back === undefined ? [] : [back]);
    });
});

const short = ({ id, result, error }: Frame) =>
  error === undefined ? { id, result } : { id, error: (error as Frame)["code"] };
