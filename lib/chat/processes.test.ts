import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { test } from "node:test";
import type { Reply, ScriptRequest } from "../../fixtures/servers/model/script.js";
import { type ChatOwner, chatOwner } from "../../fixtures/sim/chat-owner.js";
import { call, rounds } from "../../fixtures/worlds/run-code.js";
import { systemSpawner } from "../base/process/spawn-system.js";
import type { SessionId } from "../base/units.js";
import type { ChatEvent } from "../contracts/chat/chat.js";

const asked = (request: ScriptRequest): string =>
  String(request.messages.findLast((message) => message.role === "user")?.content);
const sinceAsked = (request: ScriptRequest): number => {
  const last = request.messages.findLastIndex((message) => message.role === "user");
  return request.messages.slice(last).filter((message) => message.role === "assistant").length;
};

/** The first event of this kind after a cursor. */
async function first({ chat }: ChatOwner, session: SessionId, kind: string, after = 0): Promise<ChatEvent> {
  const seen = new AbortController();
  for await (const event of chat.events(session, after, seen.signal)) {
    if (event.event !== kind) continue;
    seen.abort();
    return event;
  }
  throw new Error(`no ${kind} came`);
}

const background = (command: string, more: object = {}): Reply =>
  call("terminal", { command, background: true, ...more });

test("a background process goes on when another front end opens its conversation, and ends with the owner", async (t) => {
  const owner = await chatOwner(t, {
    script: (request) => [background("sleep 100"), { text: "started" }][rounds(request)] ?? { text: "ok" },
  });
  const session = await owner.open();
  await owner.chat.submit({ session: session.id, text: "start it" });
  const [one] = await owner.chat.processes(session.id);
  assert.deepEqual([one?.command, one?.status], ["sleep 100", "running"]);
  await owner.chat.resume(session.id, { source: "cli", cwd: owner.work, env: {} });
  assert.equal((await owner.chat.processes(session.id))[0]?.status, "running");
  assert.deepEqual(await owner.app.owner.underWay(), {
    turns: [],
    children: [],
    processes: ["sleep 100"],
    workers: [],
  });
  const events = (await owner.events(session.id)).filter(({ event }) => event.startsWith("process."));
  assert.deepEqual(
    events.map(({ event, data }) => [event, data["command"], data["pid"]]),
    [["process.started", "sleep 100", one?.pid]],
  );
  await owner.stop();
  assert.equal(systemSpawner.identify(one?.pid ?? 0), undefined);
});

test("a user looks at a process and ends it", async (t) => {
  const owner = await chatOwner(t, {
    script: (request) => [background("echo up; sleep 100"), { text: "started" }][rounds(request)] ?? { text: "ok" },
  });
  const { session_id: id } = await owner.ask("start it");
  const [one] = await owner.chat.processes(id);
  assert.equal(await owner.chat.processKill(id, one?.id ?? ""), true);
  assert.equal(await owner.chat.processKill(id, one?.id ?? ""), false);
  assert.equal(await owner.chat.processLog(id, one?.id ?? ""), "up\n");
  const [ended] = await owner.chat.processes(id);
  assert.deepEqual([ended?.status, ended?.reason], ["exited", "terminated"]);
  await assert.rejects(owner.chat.processLog(id, "proc_0"), { code: "E_NOT_FOUND" });
  assert.equal((await first(owner, id, "process.ended")).data["reason"], "terminated");
});

test("the end of a process that was to be told becomes the next message of its conversation", async (t) => {
  const owner = await chatOwner(t, {
    script: (request) => {
      if (asked(request).startsWith("[Background process")) return { text: "I saw it" };
      return sinceAsked(request) === 0
        ? background("until [ -e go ]; do sleep 0.05; done; echo built", { notify_on_complete: true })
        : { text: "waiting" };
    },
  });
  const session = await owner.open({ source: "workspace" });
  await owner.chat.submit({ session: session.id, text: "build it" });
  const after = await owner.chat.cursor(session.id);
  writeFileSync(`${owner.work}/go`, "");
  const ended = await first(owner, session.id, "turn.ended", after);
  assert.equal(ended.data["final_response"], "I saw it");
  const said = (await owner.messages(session.id)).filter((message) => message.role === "user").at(-1)?.content ?? "";
  assert.match(
    said,
    /^\[Background process proc_\w+ finished: exit code 0 \(completed\)\. Command: until .* Output: built\]$/s,
  );
});

test("the result of a child in the background becomes a message with its task, and the parent does not wait for it", async (t) => {
  const owner = await chatOwner(t, {
    script: (request) => {
      if (String(request.messages[0]?.content).startsWith("You are a child agent"))
        return { text: "child found it", hold: "go" };
      if (asked(request).startsWith("[Background task")) return { text: "noted" };
      return sinceAsked(request) === 0
        ? call("delegate_task", { goal: "look for it", context: "in here", background: true })
        : { text: "meanwhile" };
    },
  });
  const session = await owner.open({ source: "workspace" });
  const turn = await owner.chat.submit({ session: session.id, text: "do it" });
  assert.equal(turn.final_response, "meanwhile");
  const [sent] = (await owner.results(session.id)) as { status: string; delegation_id: string; mode: string }[];
  assert.deepEqual([sent?.status, sent?.mode], ["dispatched", "background"]);
  assert.equal((await owner.chat.children())[0]?.id, sent?.delegation_id);
  const after = await owner.chat.cursor(session.id);
  owner.model.release("go");
  const ended = await first(owner, session.id, "turn.ended", after);
  assert.equal(ended.data["final_response"], "noted");
  const said = (await owner.messages(session.id)).filter((message) => message.role === "user").at(-1)?.content ?? "";
  assert.match(
    said,
    /^\[Background task \S+ ended: completed\.\nTask: look for it\nContext: in here\nResult: child found it\]$/,
  );
});

test("an owner that stops ends the children in its background", async (t) => {
  const owner = await chatOwner(t, {
    script: (request) =>
      String(request.messages[0]?.content).startsWith("You are a child agent")
        ? call("terminal", { command: "echo here; sleep 100" })
        : rounds(request) === 0
          ? call("delegate_task", { goal: "wait", background: true })
          : { text: "ok" },
  });
  const session = await owner.open({ source: "workspace" });
  await owner.chat.submit({ session: session.id, text: "do it" });
  const [child] = await owner.chat.children();
  await first(owner, child?.id as SessionId, "tool.started");
  await owner.stop();
  assert.deepEqual(systemSpawner.marked("HOME", dirname(owner.home.dir)), []);
});
