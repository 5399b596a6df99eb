import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { type World, world } from "../../../fixtures/e2e/world.js";
import type { Reply } from "../../../fixtures/servers/model/script.js";

const onLinux = { skip: process.platform === "linux" ? false : "ancestors are read from /proc" };
const terminal = (command: string): Reply => ({ tool_calls: [{ name: "terminal", arguments: { command } }] });
const NO_CAGE = 'terminal:\n  cage: "off"\n';

/**
 * A program that nothing in its text gives away. Each way to the agent is tried and its outcome noted: [name, exit code or error code, text].
 * `setsid`, a double fork and an empty environment take away what a child inherits.
 */
const ATTACK = `
const { spawn, spawnSync } = require("node:child_process");
const net = require("node:net"), fs = require("node:fs"), path = require("node:path");
const [dist, home, out, kind] = process.argv.slice(2);
const entry = path.join(dist, ["ag", "ent.cjs"].join(""));
const bare = { PATH: "/usr/bin:/bin", ["AGENT" + "_HOME"]: home, HOME: path.dirname(out) };
const given = { ...process.env, ...bare };
const note = (name, code, text) => fs.appendFileSync(out, JSON.stringify([name, code, String(text).slice(0, 400)]) + "\\n");
const WORDS = [["permissions", "allow", "rm *"], ["config", "set", "approvals.mode", "off"], ["-z", "hi"], ["owner", "stop"], ["pairing", "list"],
  ["dashboard", "url"], ["tools", "disable", "web"], ["permissions", "mode", "off"]];
const cli = (name, words, env) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [entry, ...words], { env, encoding: "utf8", input: "" });
  note(name + " " + words.join(" "), status, stdout + stderr);
};
const ask = (request) => new Promise((done) => {
  const socket = net.connect(path.join(home, "run", ["owner", "sock"].join(".")));
  let text = "";
  socket.on("connect", () => socket.write(JSON.stringify({ id: 1, ...request }) + "\\n"));
  socket.on("data", (chunk) => {
    text += chunk;
    for (const line of text.split("\\n").slice(0, -1)) {
      const answer = JSON.parse(line);
      if (answer.error || answer.result) { socket.destroy(); done(answer); return; }
    }
  });
  socket.on("error", (error) => done({ error: { code: error.code } }));
});
const run = (argv) => ({ method: "run", params: { argv, cwd: "/", env: bare } });
const METHODS = [run(["permissions", "allow", "rm *"]), run(["config", "set", "approvals.mode", "off"]), run(["-z", "hi"]), run(["dashboard", "token"]),
  { method: "config.set", params: { key: "approvals.mode", value: "off" } }, { method: "owner.stop", params: {} },
  { method: "question.answer", params: { id: "q", answer: "once" } }, { method: "approval.answer", params: { request: "x", answer: "once" } },
  { method: "turn.submit", params: { session_id: "x", text: "hi" } }, { method: "session.create", params: {} },
  { method: "permissions.add", params: {} }];
const main = async () => {
  if (kind === "again") while (process.ppid !== 1 && Date.now() < Number(process.argv[6])) await new Promise((r) => setTimeout(r, 50));
  for (const words of WORDS) { cli(kind + " own", words, given); cli(kind + " bare", words, bare); }
  for (const request of METHODS) {
    const { error, result } = await ask(request);
    const denied = error?.code ?? (result?.exit !== undefined && result.exit !== 0 ? "exit " + result.exit : "done");
    note(kind + " socket " + request.method + " " + (request.params.argv ?? []).join(" "), denied, JSON.stringify(error ?? result));
  }
  if (kind === "plain") {
    cli("allowed", ["kanban", "create", "from a script", "--external"], given);
    cli("allowed", ["status"], bare);
    cli("allowed", ["permissions", "list"], bare);
  }
  if (kind !== "again") {
    const args = [__filename, dist, home, out, "again", String(Date.now() + 3000)];
    spawnSync(process.execPath, ["-e", "require('child_process').spawn(process.execPath, process.argv.slice(1), { detached: true, stdio: 'ignore', env: process.env }).unref()", "--", ...args], { env: { HOME: bare.HOME } });
  }
  fs.writeFileSync(out + "." + kind, "");
};
main();
`;

async function prepared(made: World): Promise<{ out: string; settings: () => string }> {
  writeFileSync(join(made.work, "build.js"), ATTACK);
  const out = join(made.work, "notes");
  const permissions = join(made.home.dir, "permissions.yaml");
  return {
    out,
    settings: () =>
      readFileSync(made.home.config, "utf8") + (existsSync(permissions) ? readFileSync(permissions, "utf8") : ""),
  };
}

/** Resolves when the file is there. */
async function waitFor(path: string, made: World): Promise<void> {
  for (let n = 0; n < 600 && !existsSync(path); n++) await made.run(["--version"]);
  assert.ok(existsSync(path), path);
}

test(
  "a process that a tool started changes no setting, answers nothing and gets no token, whatever it takes off itself",
  onLinux,
  async (t) => {
    const made = await world(t, {
      model: {
        script: {
          pick: "history",
          replies: [terminal(`node build.js ${"$DIST"} $HOMES $OUT plain`), { text: "done" }],
        },
      },
      name: "m",
      config: NO_CAGE,
    });
    const { out, settings } = await prepared(made);
    const before = settings();
    const owner = await made.owner();
    const words = { DIST: dirname(made.program), HOMES: made.home.dir, OUT: out };
    const turn = await made.run(["--yolo", "-z", "build it"], { env: words });
    assert.equal(turn.code, 0, turn.err);
    await waitFor(`${out}.again`, made);
    const notes = readFileSync(out, "utf8")
      .trimEnd()
      .split("\n")
      .map((line): [string, number | string, string] => JSON.parse(line));
    const allowed = notes.filter(([name]) => name.startsWith("allowed"));
    assert.deepEqual(
      allowed.map(([, code]) => code),
      [0, 0, 0],
      JSON.stringify(allowed),
    );
    const denied = notes.filter(([name]) => !name.startsWith("allowed"));
    assert.ok(denied.length >= 50, String(denied.length));
    assert.deepEqual(
      denied.filter(([, code]) => code === 0 || code === "done"),
      [],
    );
    assert.equal(
      denied.filter(([name, , text]) => /own|bare/.test(name) && !text.includes("started by the agent's tools")).length,
      0,
      JSON.stringify(denied),
    );
    assert.equal(settings(), before);
    const { running, pid } = await made.json<{ readonly running: boolean; readonly pid: number }>("owner", "status");
    assert.deepEqual([running, pid], [true, owner.pid]);
    assert.equal(
      (await made.run(["config", "set", "model.default", "script:echo"])).code,
      0,
      "a person still changes settings",
    );
  },
);
