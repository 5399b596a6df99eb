import assert from "node:assert/strict";
import { test } from "node:test";
import { openStage, type Stage } from "../../../../fixtures/dashboard/stage.js";

const AT = "/api/providers/oauth/search-vendor";

async function begun({ world, issuer }: Stage) {
  const { issuer: at, wish } = await issuer();
  const { status, json } = await world.ask("POST", `${AT}/start`, { ...wish, label: "me" });
  assert.deepEqual([status, json["state"]], [201, "waiting"]);
  const login = String(json["login"]);
  /** Ask until it is over. */
  const over = async () => {
    for (;;) {
      const poll = await world.ask("GET", `${AT}/poll/${login}`);
      if (String(poll.json["state"]) !== "waiting") return poll;
    }
  };
  return { login, back: at.visit(String(json["url"])), over };
}

test("a login is begun in a page, brought back by pasting, and stands in the pool without its tokens", async (t) => {
  const stage = await openStage(t);
  const { login, back, over } = await begun(stage);
  const submitted = await stage.world.ask("POST", `${AT}/submit/${login}`, { text: back });
  assert.equal(submitted.status, 200);
  const done = await over();
  assert.deepEqual(
    [done.json["state"], done.json["entry"]?.["label"], done.json["entry"]?.["type"]],
    ["done", "me", "oauth"],
  );
  const pool = await stage.world.ask("GET", "/api/credentials/pool?provider=search-vendor");
  assert.match(pool.text, /"label":"me"/);
  for (const { text } of [done, pool]) assert.doesNotMatch(text, /issuer-(access|refresh)/);
  assert.equal((await stage.world.ask("POST", `${AT}/submit/${login}`, { text: back })).status, 409);
});

test("a login that is given up stores nothing", async (t) => {
  const stage = await openStage(t);
  const { login, over } = await begun(stage);
  assert.deepEqual((await stage.world.ask("DELETE", `${AT}/poll/${login}`)).json, { ok: true, login });
  const ended = await over();
  assert.deepEqual([ended.json["state"], ended.json["error"]?.["code"]], ["failed", "E_INTERRUPTED"]);
  assert.deepEqual(
    (await stage.world.ask("GET", "/api/credentials/pool?provider=search-vendor")).json["providers"]?.map((one) =>
      String(one["entries"]),
    ),
    [""],
  );
});

test("a login that is under way outlives another listener of the dashboard", async (t) => {
  const stage = await openStage(t);
  const other = await stage.world.another();
  const { login, back, over } = await begun(stage);
  await other.close(0);
  await other.close(0);
  assert.equal((await stage.world.ask("POST", `${AT}/submit/${login}`, { text: back })).status, 200);
  assert.equal((await over()).json["state"], "done");
});

test("what the user brings and is of no use ends the login with what is wrong", async (t) => {
  const stage = await openStage(t);
  const { login, back, over } = await begun(stage);
  await stage.world.ask("POST", `${AT}/submit/${login}`, { text: back.replace(/state=.*/, "state=other") });
  const failed = await over();
  assert.match(String(failed.json["error"]?.["detail"]), /belongs to another login/);
});

test("a provider that cannot be reached is no reason to ask for the token of the dashboard", async (t) => {
  const { world } = await openStage(t);
  const wish = { issuer: "http://127.0.0.1:9", inference_url: "http://127.0.0.1:9/v1", client_id: "c", paste: true };
  const answer = await world.ask("POST", `${AT}/start`, wish);
  assert.ok(answer.status >= 400 && answer.status !== 401, `${answer.status} ${answer.text}`);
});

test("only so many logins wait at once, and a login is no one's but its provider's", async (t) => {
  const stage = await openStage(t);
  const { login } = await begun(stage);
  for (let more = 0; more < 3; more++) await begun(stage);
  const { wish } = await stage.issuer();
  const refused = await stage.world.ask("POST", `${AT}/start`, wish);
  assert.deepEqual([refused.status, refused.json["code"]], [429, "E_BUSY"]);
  assert.equal((await stage.world.ask("GET", `/api/providers/oauth/anthropic/poll/${login}`)).status, 404);
  await stage.world.ask("DELETE", `${AT}/poll/${login}`);
  assert.equal((await stage.world.ask("POST", "/api/providers/oauth/nobody/start")).status, 400);
});
