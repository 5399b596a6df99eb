import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { chatOwner } from "../../../fixtures/sim/chat-owner.js";

const call = (args: Record<string, unknown>) => ({ tool_calls: [{ name: "cronjob", arguments: args }] });

test("the model makes, lists, changes and removes a job; one made in a chat delivers there", async (t) => {
  const owner = await chatOwner(t, {
    script: [
      call({ action: "create", schedule: "every 2h", prompt: "look at the news", name: "news" }),
      call({ action: "list" }),
      call({ action: "update", job_id: "news", schedule: "@daily" }),
      call({ action: "pause", job_id: "news" }),
      call({ action: "remove", job_id: "news" }),
      call({ action: "create", prompt: "no schedule" }),
      call({ action: "pause", job_id: "nobody" }),
      { text: "done" },
    ],
    env: { MSGT_HOME_CHANNEL: "1" },
  });
  const { session_id } = await owner.ask("remind me", { origin: { platform: "msgt", chat_id: "7" } });
  const [made, listed, changed, paused, removed, wrong, unknown] = (await owner.results(session_id)) as Record<
    string,
    never
  >[];
  assert.deepEqual(
    [made?.["success"], made?.["job"]?.["deliver"], (made?.["next_runs"] as unknown[] | undefined)?.length],
    [true, "origin", 3],
  );
  assert.equal((listed?.["jobs"] as { name: string }[] | undefined)?.[0]?.name, "news");
  assert.match(String(changed?.["job"]?.["schedule"]), /daily|0 0/);
  assert.equal(paused?.["job"]?.["state"], "paused");
  assert.equal(removed?.["success"], true);
  assert.match(String(wrong?.["error"]), /schedule is missing/);
  assert.match(String(unknown?.["error"]), /no job "nobody"/);
});

test("the model reads why the output of a job could not be delivered now", async (t) => {
  const owner = await chatOwner(t, {
    script: [
      call({ action: "create", schedule: "every 2h", prompt: "look", name: "far", deliver: "msgd:5" }),
      call({ action: "update", job_id: "far", deliver: "local" }),
      { text: "done" },
    ],
    env: { MSGT_HOME_CHANNEL: "1" },
  });
  const { session_id } = await owner.ask("remind me");
  const [made, changed] = (await owner.results(session_id)) as Record<string, never>[];
  assert.deepEqual(made?.["warnings"], [
    "cannot deliver output to msgd:5: msgd is not configured; agent gateway setup msgd",
  ]);
  assert.deepEqual([changed?.["success"], changed?.["warnings"]], [true, undefined]);
});

test("P6: a member of a chat changes no job that someone else had made, and reads none of its output", async (t) => {
  const owner = await chatOwner(t, {
    script: [
      call({ action: "update", job_id: "theirs", prompt: "search for secrets" }),
      call({ action: "create", schedule: "every 2h", prompt: "tell", context_from: ["theirs"] }),
      call({ action: "create", schedule: "every 2h", prompt: "mine", name: "mine" }),
      call({ action: "update", job_id: "mine", prompt: "still mine" }),
      { text: "done" },
    ],
    env: { MSGT_HOME_CHANNEL: "1", MSGT_ALLOWED_USERS: "7,8" },
  });
  const { cron } = owner.app;
  await cron.create({ schedule: "every 2h", prompt: "the report", name: "theirs" });
  const origin = { platform: "msgt", chat_id: "7", user_id: "7", chat_type: "dm" };
  const { session_id } = await owner.ask("change it", { origin });
  const [changed, read, made, own] = (await owner.results(session_id)) as Record<string, never>[];
  for (const refused of [changed, read]) assert.match(String(refused?.["error"]), /was not made in this chat/);
  assert.deepEqual([made?.["success"], own?.["success"]], [true, true]);
  assert.equal((await cron.show("theirs")).job.prompt, "the report");
});

test("a script that the model chose, also for a job of a person, does not act for that person", async (t) => {
  const owner = await chatOwner(t, {
    script: [
      call({
        action: "create",
        schedule: "every 2h",
        script: "s.sh",
        no_agent: true,
        name: "made",
        by: "person",
        script_digest: "0",
      }),
      call({ action: "update", job_id: "kept", schedule: "@daily" }),
      call({ action: "update", job_id: "changed", script: "s.sh" }),
      { text: "done" },
    ],
    env: { MSGT_HOME_CHANNEL: "1" },
  });
  const { cron } = owner.app;
  mkdirSync(join(owner.home.dir, "scripts"));
  writeFileSync(join(owner.home.dir, "scripts", "s.sh"), "echo\n");
  const chosen = { schedule: "every 2h", script: "s.sh", no_agent: true, by: "person" } as const;
  for (const name of ["kept", "changed"]) await cron.create({ ...chosen, name });
  await owner.ask("change them");
  const digest = async (name: string) => (await cron.show(name)).job.script_digest;
  assert.deepEqual([await digest("made"), await digest("changed")], [null, null]);
  assert.match((await digest("kept")) ?? "", /^[0-9a-f]{64}$/);
});
