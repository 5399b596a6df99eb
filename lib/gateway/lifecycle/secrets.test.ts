import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { roundOf, type ScriptProgram } from "../../../fixtures/servers/model/script.js";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";

const CREDENTIALS = [
  "MSGT_BOT_TOKEN",
  "MSGT_WEBHOOK_SECRET",
  "MSGD_BOT_TOKEN",
  "MSGL_CHANNEL_ACCESS_TOKEN",
  "MSGL_CHANNEL_SECRET",
  "MSGF_APP_SECRET",
  "MSGF_ENCRYPT_KEY",
  "MSGF_VERIFICATION_TOKEN",
  "MSGW_CLIENT_SECRET",
  "MSGX_TOKEN",
  "WEBHOOK_SECRET",
  "MSGRAPH_CLIENT_STATE",
] as const;
/** What platforms are set to besides: no secrets, and yet nothing for a process that a tool starts. */
const SETTINGS = [
  "MSGT_PROXY",
  "MSGG_SERVICE_ACCOUNT_JSON",
  "MSGF_APP_ID",
  "MSGX_ACCOUNT_ID",
  "GATEWAY_ALLOWED_USERS",
] as const;

/** Each with a value that stands nowhere else. */
const marked = (where: string) => ({
  ...Object.fromEntries(CREDENTIALS.map((name, at) => [name, `mark-${where}-${at}-Zq7mTr2xLw9v`])),
  ...Object.fromEntries(SETTINGS.map((name, at) => [name, `setting-${where}-${at}`])),
});

test("no credential of a platform reaches a tool of a scheduled job, and nothing that stands in .env", async (t) => {
  const script: ScriptProgram = (request) =>
    roundOf(request) === 0
      ? { tool_calls: [{ name: "terminal", arguments: { command: "env; cat /proc/self/environ" } }] }
      : { text: "DONE" };
  const world = await chatOwner(t, {
    config: "permissions:\n  mode: open\n",
    env: { ...marked("given"), PLAIN_GIVEN: "plain-given" },
    script,
  });
  const { home, app, chat } = world;
  const lines = Object.entries({ ...marked("file"), PLAIN_FILE: "plain-file" }).map(
    ([name, value]) => `${name}=${value}\n`,
  );
  writeFileSync(home.env, lines.join(""), { mode: 0o600 });
  await app.options.config.reload();
  await app.cron.create({ name: "look", prompt: "look around", schedule: "every 1h", deliver: "local" });
  await app.cron.run("look");
  const [session] = await chat.list({ source: "cron" });
  assert.ok(session);
  const results = JSON.stringify(await world.results(session.id));
  assert.match(results, /plain-given/, "the tool saw an environment");
  assert.doesNotMatch(results, /mark-(given|file)|setting-|plain-file/);
});

test("no credential of a platform reaches a tool of a chat, its transcript, the model or the chat", async (t) => {
  const path = { env: "" };
  const script: ScriptProgram = (request) => {
    const round = roundOf(request);
    if (round === 0)
      return { tool_calls: [{ name: "terminal", arguments: { command: "env; cat /proc/self/environ" } }] };
    if (round === 1) return { tool_calls: [{ name: "read_file", arguments: { path: path.env } }] };
    if (round === 2) return { tool_calls: [{ name: "terminal", arguments: { command: 'cat "$AGENT_HOME/.env"' } }] };
    return { text: "DONE" };
  };
  const world = await chatGateway(t, {
    config: "permissions:\n  mode: open\n",
    env: { ...marked("given"), PLAIN_GIVEN: "plain-given" },
    script,
  });
  const { home, app } = world.owner;
  const lines = Object.entries({ ...marked("file"), PLAIN_FILE: "plain-file" }).map(
    ([name, value]) => `${name}=${value}\n`,
  );
  writeFileSync(home.env, lines.join(""), { mode: 0o600 });
  path.env = home.env;
  await app.options.config.reload();
  await world.say("1", "look around");
  const shown = await world.shown(1);
  const [session] = await world.owner.chat.list({});
  assert.ok(session);
  const results = await world.owner.results(session.id);
  assert.equal(results.length, 3);
  const everything = JSON.stringify([
    shown,
    results,
    await world.owner.messages(session.id),
    world.owner.model.requests,
  ]);
  assert.match(everything, /plain-given/, "the tools saw an environment");
  assert.doesNotMatch(everything, /mark-(given|file)/);
  assert.doesNotMatch(
    JSON.stringify(results.slice(0, 2)),
    /setting-|plain-file/,
    "settings, and what stands in .env, are for the program itself",
  );
});
