import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { simDisk } from "../../../fixtures/ports/disk.js";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { STATE_SPEC } from "../../../fixtures/sim/gateway-world.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import { openStore } from "../../../storage/sqljs/store-open.js";
import { randomIds } from "../../base/ids.js";
import { silentLog } from "../../base/log/log.js";
import type { PlatformTag } from "../../contracts/board/platform-tag.js";
import { createPairing } from "./pairing.js";

const MINUTE = 60_000;

async function world() {
  const clock = manualClock();
  const disk = simDisk();
  const open = async () => {
    const store = await openStore(STATE_SPEC, {
      disk,
      clock,
      ids: countingIds(0),
      host: "inline",
      log: silentLog,
      rehearse: true,
    });
    return { store, pairing: createPairing({ store, clock, ids: randomIds }) };
  };
  const { store, pairing } = await open();
  let n = 0;
  const eventOf = (user: string, platform: PlatformTag = "msgt", eventId = `e${++n}`) => {
    const one = simMessage(platform, eventId, "hello", user);
    return { ...one, source: { ...one.source, userId: user, userName: `name of ${user}` } };
  };
  const codeOf = async (user: string, platform?: PlatformTag) => {
    const answer = await pairing.invite(eventOf(user, platform));
    return answer.told === "code" ? answer.code : answer.told;
  };
  return { clock, store, pairing, open, eventOf, codeOf };
}

test("GW-10: a stranger gets a code of 8 characters, is then met with silence for 10 minutes, and may talk once it is approved", async () => {
  const { clock, pairing, eventOf, codeOf } = await world();
  const code = await codeOf("7");
  assert.match(code, /^[ABCDEFGHJKLMNPQRSTUVWXYZ23456789]{8}$/);
  assert.equal(await codeOf("7"), "nothing");
  await clock.advance(10 * MINUTE - 1);
  assert.equal(await codeOf("7"), "nothing");
  assert.equal(await pairing.isPaired(eventOf("7")), false);
  const paired = await pairing.approvePairing("msgt", ` ${code.slice(0, 4).toLowerCase()}-${code.slice(4)} `);
  assert.deepEqual([paired.user, paired.name], ["7", "name of 7"]);
  assert.equal(await pairing.isPaired(eventOf("7")), true);
  assert.equal(await pairing.isPaired(eventOf("7", "msgd")), false);
  assert.equal(await pairing.isPaired(eventOf("77")), false);
  assert.deepEqual((await pairing.pairings()).pending, []);
});

test("after 10 minutes a stranger gets a new code, and the old one holds no more", async () => {
  const { clock, pairing, codeOf } = await world();
  const old = await codeOf("7");
  await clock.advance(10 * MINUTE);
  const fresh = await codeOf("7");
  assert.notEqual(fresh, old);
  await assert.rejects(pairing.approvePairing("msgt", old), { code: "E_NOT_FOUND" });
  assert.equal((await pairing.approvePairing("msgt", fresh)).user, "7");
});

test("a code holds for an hour", async () => {
  const { clock, pairing, codeOf } = await world();
  const code = await codeOf("7");
  await clock.advance(60 * MINUTE);
  await assert.rejects(pairing.approvePairing("msgt", code), { code: "E_NOT_FOUND" });
});

test("a code holds on its own platform alone, and is stored nowhere", async () => {
  const { store, pairing, codeOf } = await world();
  const code = await codeOf("7");
  await assert.rejects(pairing.approvePairing("msgd", code), { code: "E_NOT_FOUND" });
  const rows = await store.read((q) => q.all("SELECT * FROM pairing_requests"));
  assert.ok(!JSON.stringify(rows).includes(code));
  assert.match(String(rows[0]?.["code_hash"]), /^[0-9a-f]{64}$/);
});

test("three codes wait on a platform; the next who asks is told so once, and gets one when there is room", async () => {
  const { clock, pairing, codeOf } = await world();
  for (const user of ["1", "2", "3"]) assert.match(await codeOf(user), /^.{8}$/);
  assert.equal(await codeOf("4"), "later");
  assert.equal(await codeOf("4"), "nothing");
  assert.match(await codeOf("1", "msgd"), /^.{8}$/, "each platform counts for itself");
  await clock.advance(11 * MINUTE);
  assert.equal(await codeOf("4"), "nothing");
  assert.match(await codeOf("1"), /^.{8}$/, "who has one may have it renewed");
  assert.equal(await pairing.clearPending(), 4);
  assert.match(await codeOf("4"), /^.{8}$/);
});

test("five wrong codes lock approvals of that platform for an hour, the right one included, also for the next owner", async () => {
  const { clock, pairing, codeOf, open } = await world();
  const code = await codeOf("7");
  const other = await codeOf("7", "msgd");
  for (let n = 1; n < 5; n++) await assert.rejects(pairing.approvePairing("msgt", "AAAAAAAA"), { code: "E_NOT_FOUND" });
  await assert.rejects(pairing.approvePairing("msgt", "AAAAAAAA"), { code: "E_STATE" });
  const next = (await open()).pairing;
  await assert.rejects(next.approvePairing("msgt", code), { code: "E_STATE" });
  assert.deepEqual(
    (await next.pairings()).locked.map(({ platform }) => platform),
    ["msgt"],
  );
  assert.equal((await pairing.approvePairing("msgd", other)).user, "7");
  await clock.advance(60 * MINUTE);
  const fresh = await codeOf("7");
  await assert.rejects(pairing.approvePairing("msgt", "AAAAAAAA"), { code: "E_NOT_FOUND" });
  assert.equal((await pairing.approvePairing("msgt", fresh)).user, "7");
});

test("a right code takes the wrong ones before it off the count", async () => {
  const { pairing, codeOf } = await world();
  const code = await codeOf("7");
  for (let n = 1; n < 5; n++) await assert.rejects(pairing.approvePairing("msgt", ""), { code: "E_NOT_FOUND" });
  await pairing.approvePairing("msgt", code);
  for (let n = 1; n < 5; n++) await assert.rejects(pairing.approvePairing("msgt", "AAAAAAAA"), { code: "E_NOT_FOUND" });
});

test("who is taken off is a stranger with the next event, and may ask again", async () => {
  const { clock, pairing, eventOf, codeOf } = await world();
  await pairing.approvePairing("msgg", await codeOf("a@B.example", "msgg"));
  assert.equal(await pairing.isPaired(eventOf("A@b.example", "msgg")), true);
  assert.equal((await pairing.revokePairing("msgg", "A@B.example")).user, "a@b.example");
  assert.equal(await pairing.isPaired(eventOf("a@b.example", "msgg")), false);
  await assert.rejects(pairing.revokePairing("msgg", "a@b.example"), { code: "E_NOT_FOUND" });
  assert.equal(await codeOf("a@b.example", "msgg"), "nothing");
  await clock.advance(10 * MINUTE);
  assert.match(await codeOf("a@b.example", "msgg"), /^.{8}$/);
});

test("an event that is looked at again after a crash gets a code that holds", async () => {
  const { pairing, eventOf } = await world();
  const event = eventOf("7");
  await pairing.invite(event);
  const again = await pairing.invite(event);
  assert.equal(again.told, "code");
  if (again.told === "code") assert.equal((await pairing.approvePairing("msgt", again.code)).user, "7");
});

test("a crowd of strangers is not remembered without bound", async () => {
  const { pairing, store, eventOf } = await world();
  for (let n = 0; n < 130; n++) await pairing.invite(eventOf(`crowd-${n}`));
  const rows = await store.read((q) => q.all("SELECT user_id FROM pairing_requests"));
  assert.equal(rows.length, 100);
});
