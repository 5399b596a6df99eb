import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { msggWorld } from "../../../fixtures/worlds/msgg-world.js";
import type { Inbound } from "../../../lib/contracts/board/platform-tag.js";

async function begun(t: TestContext, { client = true, user = "u@x.org" } = {}) {
  const home = mkdtempSync(join(tmpdir(), "msgg-"));
  const world = await msggWorld(t, { home, fake: { user } });
  await world.reaches("connected");
  if (client) writeFileSync(join(home, "msgg_user_client_secret.json"), world.server.clientFile);
  const say = async (words: string, who = user, chatType: "dm" | "group" = "dm") => {
    const event = { text: `/setup-files ${words}`.trim(), source: { chatType, userId: who } } as unknown as Inbound; // what is looked at is there
    return (await world.platform.command?.(event, "setup-files", new AbortController().signal)) ?? "";
  };
  /** What the browser of the user is led to. */
  const agreed = async (answer: string) => {
    const address = /http\S+$/.exec(answer)?.[0] ?? "";
    const page = await fetch(address, { redirect: "manual" });
    return page.headers.get("location") ?? "";
  };
  return { ...world, home, say, agreed };
}

const tokens = (home: string) => readdirSync(join(home, "msgg_user_tokens")).filter((name) => name.endsWith(".json"));

test("GW-105: a wrong state is refused, the right one gives a grant in a file that only its owner reads", async (t) => {
  const { home, say, agreed } = await begun(t);
  const location = await agreed(await say("start"));
  const wrong = location.replace(/state=\w+/, "state=other");
  assert.match(await say(wrong), /^⛔/);
  assert.deepEqual(tokens(home), []);
  assert.match(await say(location), /^✅/);
  assert.deepEqual(tokens(home), ["u@x.org.json"]);
  const path = join(home, "msgg_user_tokens", "u@x.org.json");
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const { email, refresh_token, access_token, expiry, scopes, created_at } = JSON.parse(readFileSync(path, "utf8"));
  assert.equal(email, "u@x.org");
  for (const one of [refresh_token, access_token, expiry, created_at]) assert.equal(typeof one, "string");
  assert.deepEqual(scopes, ["https://www.googleapis.com/auth/chat.messages.create"]);
  assert.match(await say(""), /^✅/);
});

test("a code is good once, for whom it was begun, and for ten minutes", async (t) => {
  const { say, agreed, clock } = await begun(t);
  const location = await agreed(await say("start"));
  assert.match(await say(location, "other@x.org"), /^⚠️ Nothing waits/);
  assert.match(await say(location), /^✅/);
  assert.match(await say(location), /^⚠️ Nothing waits/);
  const late = await agreed(await say("start"));
  clock.advance(600_001);
  assert.match(await say(late), /^⚠️ Nothing waits/);
});

test("a bare code works too, and one that the platform does not know is refused", async (t) => {
  const { say, agreed, home } = await begun(t);
  const first = await agreed(await say("start"));
  assert.match(await say("4/unknown"), /refused/);
  assert.match(await say(first), /^⚠️ Nothing waits/);
  const code = new URL(await agreed(await say("start"))).searchParams.get("code") ?? "";
  assert.match(await say(code), /^✅/);
  assert.deepEqual(tokens(home), ["u@x.org.json"]);
});

test("without a client file of the operator, and outside a direct chat, no address is given", async (t) => {
  const { say } = await begun(t, { client: false });
  assert.match(await say("start"), /agent gateway setup msgg --client-secret/);
  const group = await say("start", "u@x.org", "group");
  assert.doesNotMatch(group, /http/);
  assert.match(group, /direct chat/);
  assert.match(await say("start", "users/1"), /address/);
});

test("revoke ends the grant of this user alone, at the platform as well", async (t) => {
  const { say, agreed, home, server } = await begun(t);
  await say(await agreed(await say("start")));
  assert.match(await say("revoke", "other@x.org"), /not granted access/);
  assert.equal(server.state.refresh.size, 1);
  assert.match(await say("revoke"), /revoked/);
  assert.equal(server.state.refresh.size, 0);
  assert.deepEqual(tokens(home), []);
});

test("names of users lead nowhere, and two whose names look alike share no grant", async (t) => {
  const { say, agreed, home } = await begun(t, { user: "../a!b@x.org" });
  await say(await agreed(await say("start")));
  assert.deepEqual(tokens(home), [".._a_b@x.org.json"]);
  assert.match(await say("", "../a?b@x.org"), /cannot be sent to you yet/);
});

test("a file is uploaded in the name of the user of the turn, and its message is made once", async (t) => {
  proves(t, "msgg.uploads");
  const { say, agreed, home, server, platform, send, settled, clock } = await begun(t);
  await say(await agreed(await say("start")));
  const path = join(home, "a.pdf");
  writeFileSync(path, "%PDF\r\n\r\nbytes");
  const target = {
    platform: "msgg",
    account: platform.account,
    chatId: "spaces/A",
    threadId: null,
    replyTo: null,
  } as const;
  const file = { path, name: "a.pdf", mime: "application/pdf", kind: "document" } as const;
  const payload = { text: "here", format: "plain", silent: false, file, extra: { user: "u@x.org" } } as const;
  clock.advance(3_500_000); // the token is about to end
  server.next("create", { do: "drop", after: true });
  await send("", { target, payload });
  assert.equal((await settled())[0]?.state, "pending");
  await clock.waits();
  clock.advance(2000);
  assert.equal((await settled())[0]?.state, "sent");
  const [shown, ...more] = server.state.shown;
  assert.deepEqual([shown?.text, shown?.by, more.length], ["here", "u@x.org", 0]);
  const upload = server.state.uploads.get(shown?.attachments[0] ?? "");
  assert.deepEqual([upload?.name, upload?.bytes.toString()], ["a.pdf", "%PDF\r\n\r\nbytes"]);
  assert.ok(server.of("token").some(({ body }) => body?.["grant_type"] === "refresh_token"));
});
