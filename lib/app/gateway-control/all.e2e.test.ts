import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import { proves } from "../../../fixtures/requirements.js";
import { type MsgtServer, startMsgt } from "../../../fixtures/servers/msgt/server.js";

async function bot(t: TestContext, token: string): Promise<MsgtServer> {
  const server = await startMsgt({ token });
  t.after(() => server.close());
  return server;
}

const settings = ({ token, home }: { readonly token: string; readonly home: string }, { url }: MsgtServer) =>
  `MSGT_BOT_TOKEN=${token}\nMSGT_API_BASE=${url}\nMSGT_FILE_BASE=${url}\nMSGT_ALLOWED_USERS=42\nMSGT_HOME_CHANNEL=${home}\n`;

/** What chats that no one wrote in were told: the chat, and the sign that it begins with. */
const notices = ({ shown }: MsgtServer) =>
  shown.flatMap(({ params, text }) => (params["chat_id"] === "42" ? [] : [`${params["chat_id"]} ${[...text][0]}`]));

/** Back at the first start; the next start is too soon after it to be told again. */
const told = (home: string, ...ends: readonly string[]) => ["✅", ...ends].map((sign) => `${home} ${sign}`);

const message = (text: string) => ({
  message: {
    message_id: 7,
    date: 1_700_000_000,
    chat: { id: 42, type: "private" },
    from: { id: 42, is_bot: false, first_name: "U" },
    text,
  },
});

test("GW-08 GW-09: gateways of all profiles start and restart, each in its own process, and no message is lost", async (t) => {
  proves(t, "cli.gateway.all");
  const made = await world(t, { config: "model:\n  provider: offline\n" });
  const a = await bot(t, "1:a");
  const b = await bot(t, "2:b");
  for (const [name, bots, server] of [
    ["a", { token: "1:a", home: "100" }, a],
    ["b", { token: "2:b", home: "200" }, b],
  ] as const) {
    const dir = join(made.home.dir, "profiles", name);
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    writeFileSync(join(dir, "config.yaml"), "model:\n  provider: offline\n");
    writeFileSync(join(dir, ".env"), settings(bots, server));
  }
  // So that what is left at the end of the test is found: processes of a profile have the home of that profile.
  const env = { AGENT_KANBAN_HOME: made.home.dir };
  const gateway = async (...words: readonly string[]) => made.run(["gateway", ...words], { env });
  const started = await gateway("start", "--all");
  assert.equal(started.code, 0, started.err);
  const pidsIn = (text: string, what: string) => {
    const found = new RegExp(
      `^a: ${what} \\(pid (\\d+)\\)\nb: ${what} \\(pid (\\d+)\\)\ndefault: nothing configured\n$`,
    ).exec(text);
    assert.ok(found, text);
    return [Number(found[1]), Number(found[2])] as const;
  };
  const first = pidsIn(started.out, "started");
  assert.notEqual(first[0], first[1]);
  const status = await gateway("status", "--all", "--json");
  assert.equal(status.code, 0);
  const rows: readonly { profile: string; pid: number | null; state: string }[] = JSON.parse(status.out);
  assert.deepEqual(
    rows.map(({ profile, pid, state }) => [profile, pid, state]),
    [
      ["a", first[0], "running"],
      ["b", first[1], "running"],
      ["default", null, "stopped"],
    ],
  );
  await Promise.all([a, b].map((one) => one.until(() => notices(one).length === 1))); // each is connected, and not only begun
  const restarting = gateway("restart", "--all");
  a.update(message("hello"));
  const restarted = await restarting;
  assert.equal(restarted.code, 0, restarted.err);
  const second = pidsIn(restarted.out, "restarted");
  assert.equal(new Set([...first, ...second]).size, 4);
  await a.until(() => a.shown.some(({ text }) => text.includes("offline assistant")));
  await Promise.all([a, b].map((one) => one.until(() => notices(one).length === 2)));
  assert.deepEqual(
    [notices(a), notices(b)],
    [told("100", "🔄"), told("200", "🔄")],
    "each home channel is told by its own bot, once",
  );
  assert.equal((await gateway("stop", "--all")).out, "a: stopped\nb: stopped\ndefault: nothing configured\n");
  assert.equal(a.shown.filter(({ text }) => text.includes("offline assistant")).length, 1);
  assert.deepEqual([notices(a), notices(b)], [told("100", "🔄", "⏹"), told("200", "🔄", "⏹")]);
});
