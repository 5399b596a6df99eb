import assert from "node:assert/strict";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openStage, type Stage } from "../../../../fixtures/dashboard/stage.js";
import { decodedFacts, plainPng } from "../../../../fixtures/sim/made-pictures.js";

const ids = async ({ world }: Stage, query = "") =>
  (await world.ask("GET", `/api/sessions${query}`)).json.map((one) => String(one["id"]));

test("sessions are listed in pages, filtered and counted", async (t) => {
  const stage = await openStage(t);
  const { world } = stage;
  const a = await stage.session();
  const b = await stage.session();
  const c = await stage.session();
  const empty = await world.app.chat.create({ source: "inline", cwd: world.work, env: {}, title: "said nothing" });
  await world.app.chat.archive(b.id, true);
  assert.deepEqual(await ids(stage, "?min_messages=1"), [c.id, a.id]);
  assert.deepEqual(await ids(stage, "?order=created&archived=include&limit=2&offset=1"), [c.id, b.id]);
  assert.deepEqual(await ids(stage, "?archived=only"), [b.id]);
  assert.deepEqual(await ids(stage, "?source=inline"), [empty.id]);
  assert.deepEqual(await ids(stage, "?exclude_sources=cli,%20cron"), [empty.id]);
  assert.deepEqual(await ids(stage, "?profile=other"), []);
  const page = await world.ask("GET", "/api/sessions?limit=1&archived=include");
  assert.deepEqual([page.json.length, page.headers["x-total-count"]], [1, "4"]);
  assert.ok(page.json[0]?.["preview"] !== undefined && page.json[0]?.["system_prompt"] === undefined);
  for (const query of ["?limit=0", "?limit=201", "?offset=-1", "?archived=yes", "?order=x"])
    assert.equal((await world.ask("GET", `/api/sessions${query}`)).status, 422, query);
});

test("a session is shown, titled, put away, read on, found and deleted", async (t) => {
  const stage = await openStage(t);
  const { world } = stage;
  const { id } = await stage.session();
  const at = (rest = "") => `/api/sessions/${id}${rest}`;
  const shown = await world.ask("GET", at("?last=1"));
  assert.deepEqual(
    [shown.json["session"]?.["id"], shown.json["messages"]?.map((one) => one["role"])],
    [id, ["assistant"]],
  );
  const patched = await world.ask("PATCH", at(), { title: "A better title", archived: true });
  assert.deepEqual([patched.json["title"], patched.json["archived"]], ["A better title", true]);
  assert.equal((await world.ask("PATCH", at(), {})).status, 400);
  assert.equal((await world.ask("PATCH", at(), { title: " " })).status, 400);
  const messages = (await world.ask("GET", at("/messages"))).json;
  assert.deepEqual(
    messages.map((one) => [one["role"], one["content"]]),
    [
      ["user", "Say hello."],
      ["assistant", "Hello."],
    ],
  );
  assert.equal((await world.ask("GET", at(`/messages?after=${String(messages[0]?.["ordinal"])}`))).json.length, 1);
  const hits = (await world.ask("GET", "/api/sessions/search?q=hello")).json;
  assert.ok(hits.some((one) => String(one["session_id"]) === id));
  const beginning = await world.ask("DELETE", `/api/sessions/${id.slice(0, 12)}`);
  assert.equal(beginning.status, 404, "a beginning names nothing here");
  const gone = await world.ask("DELETE", at());
  assert.deepEqual([gone.json["deleted"], gone.json["messages"]], [id, 2]);
  assert.equal((await world.ask("GET", at())).status, 404);
});

test("two sessions do not get one title", async (t) => {
  const stage = await openStage(t);
  const a = await stage.session();
  const b = await stage.session();
  const refused = await stage.world.ask("PATCH", `/api/sessions/${b.id}`, { title: a.title });
  assert.deepEqual([refused.status, refused.json["code"]], [409, "E_CONFLICT"]);
});

test("a session is exported as a file, by a browser with a ticket too", async (t) => {
  const stage = await openStage(t);
  const { world } = stage;
  const { id } = await stage.session();
  const path = `/api/sessions/${id}/export`;
  const { ticket } = (await world.ask("POST", "/api/auth/ticket", { purpose: "download", path })).json;
  const file = await world.askPlain("GET", `${path}?format=md&ticket=${String(ticket)}`);
  assert.equal(file.status, 200);
  assert.match(file.text, /Say hello\./);
  assert.match(String(file.headers["content-disposition"]), new RegExp(`filename="${id}.md"`));
  assert.match(String(file.headers["content-type"]), /text\/markdown/);
  assert.equal((await world.askPlain("GET", `${path}?ticket=${String(ticket)}`)).status, 401);
});

test("several sessions are deleted each by itself, and what was left empty long ago goes", async (t) => {
  const stage = await openStage(t);
  const { world } = stage;
  const { id } = await stage.session();
  const { json } = await world.ask("POST", "/api/sessions/bulk-delete", { ids: [id, "none", id] });
  const results = json["results"]?.map((one) => [one["id"], one["ok"], one["code"]]);
  assert.deepEqual(results, [
    [id, true, undefined],
    ["none", false, "E_NOT_FOUND"],
  ]);
  assert.equal((await world.ask("POST", "/api/sessions/bulk-delete", { ids: [] })).status, 422);
  await world.app.chat.create({ source: "cli", cwd: world.work, env: {}, title: "young" });
  assert.deepEqual((await world.ask("GET", "/api/sessions/empty/count")).json, { count: 0 });
});

test("an empty session is a leftover after five minutes, not before", async (t) => {
  const stage = await openStage(t);
  const { chat, options } = stage.world.app;
  const { id } = await chat.create({ source: "cli", cwd: stage.world.work, env: {}, title: "left" });
  const later = { ...options.clock, now: () => options.clock.now() + 301_000 };
  const { world } = await openStage(t, { services: { chat, clock: later } });
  assert.deepEqual(
    (await world.ask("GET", "/api/sessions/empty")).json.map((one) => one["id"]),
    [id],
  );
  assert.deepEqual((await world.ask("DELETE", "/api/sessions/empty")).json, { deleted: 1 });
  assert.equal(await chat.get(id), undefined);
});

test("a picture of a message is read with the token or a ticket, scaled, and never from outside of the cache", async (t) => {
  const stage = await openStage(t);
  const { world } = stage;
  const { chat } = world.app;
  const large = join(world.work, "large.png");
  writeFileSync(large, await plainPng({ width: 4_000, height: 1_000 }));
  const { id } = await chat.create({ source: "cli", cwd: world.work, env: {} });
  await chat.submit({ session: id, text: await chat.withPictures({ text: "Look.", cwd: world.work, files: [large] }) });
  const [message] = await chat.messages(id, { after: 0, limit: 1 });
  const kept = message?.pictures?.[0]?.path ?? assert.fail("no picture was kept");
  const path = `/api/sessions/${id}/messages/${message?.ordinal}/pictures/0`;
  const read = await fetch(new URL(path, world.url), { headers: { authorization: `Bearer ${world.token}` } });
  assert.deepEqual(
    [read.status, read.headers.get("content-type"), read.headers.get("content-security-policy")],
    [200, "image/png", "default-src 'none'; sandbox"],
  );
  const { width, height } = await decodedFacts(new Uint8Array(await read.arrayBuffer()));
  assert.deepEqual([width, height], [1_600, 400]);
  assert.equal((await world.askPlain("GET", path)).status, 401);
  const { ticket } = (await world.ask("POST", "/api/auth/ticket", { purpose: "download", path })).json;
  const withTicket = `${path}?ticket=${encodeURIComponent(String(ticket))}`;
  assert.equal((await world.askPlain("GET", withTicket)).status, 200);
  assert.equal((await world.askPlain("GET", withTicket)).status, 401, "a ticket is good once");
  for (const other of [path.replace(/0$/, "1"), path.replace(/messages\/\d+/, "messages/99")])
    assert.equal((await world.ask("GET", other)).status, 404);
  rmSync(kept);
  symlinkSync(large, kept);
  assert.equal((await world.ask("GET", path)).status, 404, "a link that leads out of the cache");
});
