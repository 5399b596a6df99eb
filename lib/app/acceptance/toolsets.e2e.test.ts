import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { world } from "../../../fixtures/e2e/world.js";
import type { ScriptRequest } from "../../../fixtures/servers/model/script.js";

test("C81: wrong usage of a one-shot exits 2 before anything is asked, and Ctrl+C exits 130", async (t) => {
  const made = await world(t, { model: { script: { replies: [{ text: "never", hold: "never" }] } }, name: "script-1" });
  const wrong: [args: string[], says: RegExp][] = [
    [["-z"], /oneshot|-z/],
    [["-z", "x", "--provider", "custom"], /--provider needs --model/],
    [["-z", "x", "-t", "nope,none"], /unknown toolset: nope, none \(known: .*\bfile\b/],
  ];
  for (const [args, says] of wrong) {
    const { code, err, out } = await made.run(args);
    assert.deepEqual([code, out], [2, ""], `${args.join(" ")}: ${err}`);
    assert.match(err, says);
  }
  assert.equal(made.model.requests.length, 0);
  assert.deepEqual(await made.json("sessions", "list"), [], "no session is left behind");
  const running = made.start(["-z", "x"]);
  await made.model.arrived(1);
  assert.equal((await running.end("SIGINT")).code, 130);
});

test("C81: of several toolsets an unknown one is reported, and the turn runs with the others", async (t) => {
  const made = await world(t, { model: { script: { replies: [{ text: "done" }] } }, name: "script-1" });
  const { code, out, err } = await made.run(["-z", "x", "-t", "nope,file"]);
  assert.deepEqual([code, out], [0, "done\n"]);
  assert.match(err, /unknown toolset: nope \(known: /);
  assert.equal(made.model.chats()[0]?.body?.tools?.length, 4);
});

test("C16: a slash command answers with its data in one line, without a model", async (t) => {
  const made = await world(t, { model: {}, name: "script:echo" });
  const { code, out } = await made.run(["-z", "/status", "--json"]);
  assert.equal(code, 0);
  assert.deepEqual([out.split("\n").length, typeof JSON.parse(out)], [2, "object"]);
  assert.equal(made.model.requests.length, 0);
});

test("C32, C39: the built program runs code of the model and sends a child, and prints the answer alone", async (t) => {
  const code = 'import { read_file } from "agent-tools";\nconsole.log((await read_file({ path: "a.txt" })).file_size);';
  const asked = (request: ScriptRequest) => request.messages.filter((message) => message.role === "assistant").length;
  const made = await world(t, {
    name: "script-1",
    config: "command_allowlist: [inline-code]\n",
    model: {
      script: (request) => {
        if (String(request.messages[0]?.content).startsWith("You are a child agent")) return { text: "child text" };
        const calls = [
          { name: "execute_code", arguments: { code } },
          { name: "delegate_task", arguments: { goal: "look", toolsets: ["file"] } },
        ];
        const next = calls[asked(request)];
        return next === undefined ? { text: "Parent final." } : { tool_calls: [next] };
      },
    },
  });
  writeFileSync(join(made.work, "a.txt"), "four");
  const { code: exit, out, err } = await made.run(["-z", "do it"]);
  assert.deepEqual([exit, out], [0, "Parent final.\n"], err);
  const results = (made.model.chats().at(-1)?.body?.messages ?? []).filter((message) => message.role === "tool");
  const [ran, sent] = results.map((message) => JSON.parse(String(message.content)));
  assert.deepEqual([ran.status, ran.output, ran.tool_calls_made], ["success", "4", 1]);
  assert.deepEqual([sent.results[0].status, sent.results[0].summary], ["completed", "child text"]);
  assert.equal((await made.json<unknown[]>("sessions", "list")).length, 1);
});

test("a board worker sends a child too; what it changes and finds is the worker's", async (t) => {
  const asked = (request: ScriptRequest) => request.messages.filter((message) => message.role === "assistant").length;
  const made = await world(t, {
    name: "script-1",
    model: {
      script: (request) => {
        const child = String(request.messages[0]?.content).startsWith("You are a child agent");
        const calls = child
          ? [{ name: "write_file", arguments: { path: "made.txt", content: "by a child" } }]
          : [
              { name: "delegate_task", arguments: { goal: "make it", toolsets: ["file"] } },
              { name: "kanban_complete", arguments: { summary: "made" } },
            ];
        const next = calls[asked(request)];
        return next === undefined ? { text: "child is done" } : { tool_calls: [next] };
      },
    },
  });
  await made.owner();
  const { id } = await made.json<{ id: string }>("kanban", "create", "make", "--assignee", "default");
  const { task } = await made.settled(id);
  assert.equal(task.status, "done");
  const results = (made.model.chats().at(-1)?.body?.messages ?? []).filter((message) => message.role === "tool");
  const sent = JSON.parse(String(results[0]?.content));
  assert.deepEqual([sent.results[0].status, sent.results[0].summary], ["completed", "child is done"]);
  assert.match(String(sent.results[0].files_changed[0]), /made\.txt$/);
});
