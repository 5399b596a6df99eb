import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { countingIds } from "../../../fixtures/ports/ids.js";
import { simPlatform } from "../../../fixtures/sim/platform.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { type Claim, createClaims } from "./credential-claims.js";
import { toReceipt } from "./send-outcome.js";

const TOKEN = "4711:secret";

function setup(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), "claims-"));
  t.after(() => rmSync(dir, { recursive: true }));
  const { port } = simPlatform("msgt", () => 0, toReceipt);
  const of = (profile: string, token: string | undefined = TOKEN) =>
    createClaims({
      dir,
      clock: manualClock(),
      ids: countingIds(profile.length),
      spawner: systemSpawner,
      home: { dir: `/homes/${profile}`, profile },
      credentialOf: () => token,
    }).take(port);
  return { dir, of };
}

const held = (taken: Claim | { code: string; message: string }): Claim => {
  assert.ok("release" in taken, "message" in taken ? taken.message : "");
  return taken;
};

test("a token that another home uses is refused with its profile and its process, and free when it is given back", async (t) => {
  const { of, dir } = setup(t);
  const first = held(await of("one"));
  const [name = ""] = readdirSync(dir);
  assert.match(name, /^msgt-[0-9a-f]{16}\.lock$/);
  const text = JSON.parse(readFileSync(join(dir, name), "utf8"));
  assert.deepEqual([text.pid, text.home, text.profile], [process.pid, "/homes/one", "one"]);
  assert.equal(readFileSync(join(dir, name), "utf8").includes("secret"), false);
  const second = await of("second");
  assert.ok("code" in second);
  assert.equal(second.code, "token_in_use");
  assert.match(second.message, new RegExp(`profile one .*process ${process.pid}`));
  first.release();
  assert.deepEqual(readdirSync(dir), []);
  held(await of("second")).release();
});

const GONE = [
  ["whose process is gone", { pid: 2 ** 22 + 1, start_ticks: "1" }],
  ["whose process number belongs to another program now", { pid: process.pid, start_ticks: "1" }],
] as const;
for (const [what, holder] of GONE) {
  test(`GW-02: a claim ${what} is taken over`, async (t) => {
    const { of, dir } = setup(t);
    const claim = held(await of("one"));
    const [name = ""] = readdirSync(dir);
    const text = JSON.parse(readFileSync(join(dir, name), "utf8"));
    writeFileSync(join(dir, name), JSON.stringify({ ...text, ...holder, nonce: "abc" }));
    held(await of("second")).release();
    claim.release();
  });
}

test("two tokens do not stand in each other's way, and what has no credential claims nothing", async (t) => {
  const { of, dir } = setup(t);
  held(await of("one"));
  held(await of("second", "4712:other"));
  held(await of("third", ""));
  assert.equal(readdirSync(dir).length, 2);
});
