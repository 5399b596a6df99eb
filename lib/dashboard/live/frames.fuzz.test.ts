import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { test } from "node:test";
import { rpcOf } from "../../../fixtures/dashboard/rpc.js";
import { openSocket } from "../../../fixtures/dashboard/socket.js";
import { dashboardWorld } from "../../../fixtures/dashboard/world.js";
import { type Random, seeded } from "../../../fixtures/ports/random.js";

const CONNECTIONS = 240;
const FRAMES = 20;
const PATHS = ["/api/ws", "/api/events", "/api/plugins/kanban/events"] as const;

test("random frames cost whoever sends them the connection, and no one else anything", async (t) => {
  const chance = seeded(20261120);
  const world = await dashboardWorld(t);
  const good = await rpcOf(t, world);
  for (let n = 0; n < CONNECTIONS; n++) {
    const path = chance.pick(PATHS);
    const { ws } = await openSocket(world, path);
    const { _socket: raw } = ws as unknown as { _socket: Socket }; // the library sends nothing that is wrong
    const closed = once(ws, "close");
    for (let frame = 0; frame < FRAMES; frame++) raw.write(frameOf(chance));
    if (chance.chance(0.5)) ws.terminate();
    else raw.end();
    await closed;
    if (n % 40 === 0) assert.ok(await good.call("question.list", {}));
  }
  const clients = async () => (await world.app.owner.status()).clients;
  for (let turns = 0; (await clients()) > 1 && turns < 10_000; turns++) await new Promise(setImmediate);
  assert.equal(await clients(), 1, "the good one");
});

const MESSAGES = [
  '{"jsonrpc":"2.0","id":1,"method":"session.list"}',
  '{"jsonrpc":"2.0","id":{},"method":"session.list"}',
  '{"jsonrpc":"2.0","id":1,"method":"events.subscribe","params":{"topics":["sessions","runs","session:x"],"after":{"sessions":0}}}',
  '{"jsonrpc":"2.0","id":1,"method":"events.unsubscribe","params":{"sub":1}}',
  '[{"jsonrpc":"2.0","method":"__proto__"},[],null]',
  '{"jsonrpc":"2.0","id":1,"method":"turn.submit","params":{"session_id":"x","text":""}}',
  '{"__proto__":{"jsonrpc":"2.0"},"id":1,"method":"hello"}',
] as const;

/** A frame as a client masks it: mostly with a right head, sometimes of nothing but chance. */
function frameOf(chance: Random): Buffer {
  if (chance.chance(0.05)) return bytes(chance, 1 + chance.below(40));
  const text = chance.pick(MESSAGES);
  const whole = chance.chance(0.4)
    ? Buffer.from(text.slice(0, chance.below(text.length + 1)))
    : bytes(chance, chance.below(300));
  const body = chance.chance(0.3) ? Buffer.from(text) : whole;
  const opcode = chance.pick([0x1, 0x1, 0x1, 0x1, 0x0, 0x2, 0x8, 0x9, 0xa, chance.below(16)]);
  const first = opcode | (chance.chance(0.85) ? 0x80 : 0) | (chance.chance(0.03) ? 0x40 : 0);
  const masked = chance.chance(0.97) ? 0x80 : 0;
  const head =
    body.length < 126
      ? Buffer.from([first, masked | body.length])
      : Buffer.from([first, masked | 126, body.length >> 8, body.length & 255]);
  return Buffer.concat(masked === 0 ? [head, body] : [head, Buffer.alloc(4), body]);
}

const bytes = (chance: Random, length: number): Buffer => Buffer.from(Array.from({ length }, () => chance.below(256)));
