import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { nextTurn } from "../../base/async/next-turn.js";
import { layOutHome } from "../../base/home.js";
import { type Log, silentLog } from "../../base/log/log.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { systemClock } from "../../base/time/clock.js";
import type { Config } from "../../contracts/config/config.js";
import type { HookFields } from "../../contracts/hooks/hooks.js";
import { createHookBus } from "../hook-bus.js";
import { openShellHooks } from "./shell-hooks.js";

const CALL: HookFields["pre_tool_call"] = {
  tool_name: "terminal",
  args: { command: "rm -rf x" },
  task_id: null,
  session_id: "s_1",
  tool_call_id: "c_1",
  turn_id: "s_1:1",
  api_request_id: "s_1:1:r1",
  cwd: "/p",
  middleware_trace: [],
};

function world(
  t: TestContext,
  settings: (dir: string) => Record<string, unknown>,
  more: { accept?: boolean; auto?: boolean } = {},
) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "shell-hooks-")));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  const values: Record<string, unknown> = { hooks: settings(dir), hooks_auto_accept: more.auto ?? false };
  const listeners = new Set<() => void>();
  const config = {
    get: ({ key, default: fallback }: { key: string; default: unknown }) => values[key] ?? fallback,
    onChange: (listener: () => void) => listeners.add(listener),
  } as unknown as Config; // hooks ask it for nothing else
  const warned: string[] = [];
  const log: Log = { ...silentLog, warning: (message) => warned.push(message) };
  const script = (name: string, text: string) => {
    writeFileSync(join(dir, name), text);
    chmodSync(join(dir, name), 0o755);
  };
  const open = (accept = more.accept ?? false) => {
    const bus = createHookBus({ clock: systemClock, log, timeoutMs: () => 30_000 });
    const env = { PATH: process.env["PATH"] ?? "", HOME: dir, SECRET_TOKEN: "x" };
    const home = layOutHome(dir);
    const api = openShellHooks({
      home,
      clock: systemClock,
      log,
      spawner: systemSpawner,
      config,
      env,
      registrations: bus,
      accept,
      announce: true,
    });
    t.after(() => bus.close(0));
    return { bus, api };
  };
  const change = (next: Record<string, unknown>) => {
    values["hooks"] = next;
    for (const listener of listeners) listener();
  };
  return { dir, script, open, change, warned };
}

const guard =
  (fields: Record<string, unknown> = {}) =>
  () => ({
    pre_tool_call: [{ command: "~/guard.sh", matcher: "terminal|patch", ...fields }],
  });
const NO_RM = `#!/bin/sh
if grep -q '"command":"rm ' ; then echo '{"decision":"block","reason":"no rm"}'; fi
`;

test("an approved program reads the call and blocks it; tools that its matcher does not name pass", async (t) => {
  const { script, open, dir } = world(t, guard());
  script(
    "guard.sh",
    `#!/bin/sh\ncat > "$AGENT_HOME/read.json"\nenv > "$AGENT_HOME/env"\npwd >> "$AGENT_HOME/env"\necho '{"action":"block","message":"not today"}'\n`,
  );
  const { bus, api } = open();
  await api.approve("~/guard.sh");
  assert.deepEqual(await bus.preToolCall(CALL), { block: "not today" });
  const { extra, ...read } = JSON.parse(readFileSync(join(dir, "read.json"), "utf8"));
  assert.deepEqual(read, {
    hook_event_name: "pre_tool_call",
    tool_name: "terminal",
    tool_input: { command: "rm -rf x" },
    session_id: "s_1",
    cwd: "/p",
  });
  assert.equal(extra.tool_call_id, "c_1");
  const env = readFileSync(join(dir, "env"), "utf8");
  assert.ok(!env.includes("SECRET_TOKEN") && env.includes(`AGENT_HOME=${dir}`) && env.trimEnd().endsWith(dir), env);
  assert.equal(await bus.preToolCall({ ...CALL, tool_name: "terminal2" }), undefined);
  assert.equal((await api.list())[0]?.last_run?.outcome.includes("not today"), true);
});

test("a policy hook without approval blocks what it matches, names the command that approves it, and is not run", async (t) => {
  const { script, open, dir, warned } = world(t, guard());
  script("guard.sh", `#!/bin/sh\ntouch "$AGENT_HOME/ran"\n`);
  const { bus, api } = open();
  assert.deepEqual(await bus.preToolCall(CALL), {
    block:
      "blocked: policy hook '~/guard.sh' has not been approved. To approve it, run: agent hooks approve '~/guard.sh'",
  });
  assert.equal(existsSync(join(dir, "ran")), false);
  assert.match(warned.join(), /hooks\.pre_tool_call: '~\/guard\.sh' does not run: it has not been approved/);
  await api.approve("all");
  assert.equal(await bus.preToolCall(CALL), undefined);
  assert.equal(existsSync(join(dir, "ran")), true);
  assert.equal(statSync(join(dir, "hook-consents.json")).mode & 0o777, 0o600);
  assert.deepEqual([await api.revoke("~/guard.sh"), (await api.list())[0]?.consent], [1, "new"]);
});

test("changed bytes ask again, also those of a file that an interpreter reads", async (t) => {
  const { script, open } = world(t, () => ({ pre_tool_call: [{ command: "sh ~/guard.sh" }] }));
  script("guard.sh", NO_RM);
  const { bus, api } = open();
  await api.approve("sh ~/guard.sh");
  assert.deepEqual(await bus.preToolCall(CALL), { block: "no rm" });
  script("guard.sh", "#!/bin/sh\ntrue\n");
  assert.match((await bus.preToolCall(CALL))?.block ?? "", /has changed since it was approved/);
  assert.equal((await api.list())[0]?.consent, "changed");
});

test("a file that a link replaces is not run with the approval of the first one", async (t) => {
  const { script, open, dir } = world(t, guard());
  script("guard.sh", NO_RM);
  script("other.sh", `#!/bin/sh\ntouch "$AGENT_HOME/ran"\n`);
  const { bus, api } = open();
  await api.approve("~/guard.sh");
  unlinkSync(join(dir, "guard.sh"));
  symlinkSync(join(dir, "other.sh"), join(dir, "guard.sh"));
  assert.match((await bus.preToolCall(CALL))?.block ?? "", /has changed/);
  assert.equal(existsSync(join(dir, "ran")), false);
});

test("what runs are the bytes that were compared: a script that is replaced while it starts has no effect", async (t) => {
  const { script, open, dir } = world(t, guard());
  script("guard.sh", `#!/bin/sh\necho "{\\"action\\":\\"block\\",\\"message\\":\\"$0\\"}"\n`);
  const { bus, api } = open();
  await api.approve("~/guard.sh");
  const asked = bus.preToolCall(CALL); // compared by now
  script("guard.sh", `#!/bin/sh\ntouch "$AGENT_HOME/ran"\n`);
  const ran = (await asked)?.block ?? "";
  assert.ok(ran.startsWith(join(dir, "run", "hooks")), ran);
  assert.equal(existsSync(join(dir, "ran")), false);
});

for (const [what, text, wanted] of [
  ["fails", "#!/bin/sh\necho 'no database' >&2\nexit 7\n", "no database"],
  ["fails without a word", "#!/bin/sh\nexit 7\n", "exit code 7"],
  [
    "writes no JSON",
    "#!/bin/sh\necho hello\n",
    "blocked: policy hook '~/guard.sh' failed: its output is not a JSON object",
  ],
  ["writes an unknown decision", `#!/bin/sh\necho '{"decision":"perhaps"}'\n`, /failed: malformed answer/],
  ["writes 10 MB", "#!/bin/sh\nhead -c 10000000 /dev/zero\n", /failed: wrote more than 1 MiB/],
  ["cannot be started", "#!/nowhere/interpreter\n", /failed: /],
] as const)
  test(`a policy hook that ${what} blocks the call; one that fails open lets it pass`, async (t) => {
    for (const open_ of [false, true]) {
      const { script, open } = world(t, guard({ fail_open: open_ }), { accept: true });
      script("guard.sh", text);
      const { bus } = open();
      const block = (await bus.preToolCall(CALL))?.block;
      if (open_) assert.equal(block, undefined);
      else if (typeof wanted === "string") assert.equal(block, wanted);
      else assert.match(block ?? "", wanted);
    }
  });

test("a hook that hangs is killed with everything that it started, and blocks", async (t) => {
  const { script, open, dir } = world(t, guard({ timeout: 1 }), { accept: true });
  script("guard.sh", `#!/bin/sh\nsleep 1000 &\necho $! > "$AGENT_HOME/pid"\nsleep 1000\n`);
  const { bus } = open();
  assert.deepEqual(await bus.preToolCall(CALL), {
    block: "blocked: policy hook '~/guard.sh' failed: timed out after 1 s",
  });
  await bus.close(1_000);
  const pid = Number(readFileSync(join(dir, "pid"), "utf8"));
  while (systemSpawner.identify(pid) !== undefined) await nextTurn();
});

test("what a hook leaves behind in its group ends with it", async (t) => {
  const { script, open, dir } = world(t, guard(), { accept: true });
  script("guard.sh", `#!/bin/sh\nsleep 1000 >/dev/null 2>&1 </dev/null &\necho $! > "$AGENT_HOME/pid"\n`);
  const { bus } = open();
  assert.equal(await bus.preToolCall(CALL), undefined);
  const pid = Number(readFileSync(join(dir, "pid"), "utf8"));
  while (systemSpawner.identify(pid) !== undefined) await nextTurn();
});

test("an interrupt ends a hook that is waited for", async (t) => {
  const { script, open, dir } = world(t, guard(), { accept: true });
  script(
    "guard.sh",
    `#!/bin/sh\necho $$ > "$AGENT_HOME/pid.new"\nmv "$AGENT_HOME/pid.new" "$AGENT_HOME/pid"\nexec sleep 1000\n`,
  );
  const { bus } = open();
  const control = new AbortController();
  const asked = bus.preToolCall(CALL, control.signal);
  while (!existsSync(join(dir, "pid"))) await nextTurn();
  control.abort();
  await asked;
  const pid = Number(readFileSync(join(dir, "pid"), "utf8"));
  while (systemSpawner.identify(pid) !== undefined) await nextTurn();
});

test("context of a program reaches the message; a failing notice only is logged", async (t) => {
  const { script, open } = world(
    t,
    () => ({ pre_llm_call: [{ command: "~/context.sh" }], post_tool_call: { command: "~/broken.sh" } }),
    { accept: true },
  );
  script("context.sh", `#!/bin/sh\necho '{"context":"It rains."}'\n`);
  script("broken.sh", "#!/bin/sh\nexit 1\n");
  const { bus } = open();
  const fields = {
    session_id: "s",
    task_id: null,
    turn_id: "s:1",
    model: "m",
    platform: "cli",
    user_message: "hi",
    conversation_history: [],
    is_first_turn: true,
    sender_id: null,
  };
  assert.equal(await bus.preLlmCall(fields), "It rains.");
});

test("hooks_auto_accept approves every version; --accept-hooks only those of the start", async (t) => {
  const auto = world(t, guard(), { auto: true });
  auto.script("guard.sh", NO_RM);
  const first = auto.open();
  assert.deepEqual(await first.bus.preToolCall(CALL), { block: "no rm" });
  auto.script("guard.sh", `${NO_RM}# changed\n`);
  assert.deepEqual(await first.bus.preToolCall(CALL), { block: "no rm" });
  const once = world(t, guard(), { accept: true });
  once.script("guard.sh", NO_RM);
  const second = once.open();
  assert.deepEqual(await second.bus.preToolCall(CALL), { block: "no rm" });
  once.script("guard.sh", `${NO_RM}# changed\n`);
  assert.match((await second.bus.preToolCall(CALL))?.block ?? "", /has changed/);
});

test("the hooks follow the settings; an entry of a policy that cannot be read blocks every call and is named", async (t) => {
  const { open, change, script } = world(t, () => ({}));
  const { bus, api } = open();
  assert.equal(bus.has("pre_tool_call"), false);
  script("guard.sh", NO_RM);
  change({ pre_tool_call: [{ command: "~/guard.sh" }], on_full_moon: [] });
  assert.equal(bus.has("pre_tool_call"), true);
  assert.match(api.problems()[0] ?? "", /hooks\.on_full_moon: unknown event/);
  for (const [entry, why] of [
    [{}, /command is missing/],
    [{ command: "'x" }, /quote/],
    [{ command: "x", timeout: 4_000 }, /timeout must be/],
    [{ command: "x", matcher: "(" }, /not a regular expression/],
    [{ command: "x", mather: "a" }, /unknown field 'mather'/],
  ] as const) {
    change({ pre_tool_call: [entry] });
    assert.match((await bus.preToolCall(CALL))?.block ?? "", why);
  }
  change({});
  assert.equal(await bus.preToolCall(CALL), undefined);
});

test("a trial says allowed, blocked or failed, and doctor finds what does not work", async (t) => {
  const { script, open } = world(t, () => ({ pre_tool_call: [{ command: "~/guard.sh" }, { command: "~/gone.sh" }] }));
  script("guard.sh", NO_RM);
  const { api } = open();
  await api.approve("~/guard.sh");
  const control = new AbortController();
  const outcomes = async (command: string) =>
    (await api.test("pre_tool_call", { tool_name: "terminal", tool_input: { command } }, control.signal)).map(
      ({ outcome }) => outcome,
    );
  assert.deepEqual(await outcomes("rm x"), ["blocked", "failed"]);
  assert.deepEqual(await outcomes("ls"), ["allowed", "failed"]);
  await assert.rejects(api.test("nope", {}, control.signal), /unknown event 'nope'/);
  const found = await api.doctor(control.signal);
  assert.deepEqual(
    found.map(({ status }) => status),
    ["ok", "fail"],
  );
});

test("a trial of a gateway hook is blocked where it skips the message, not where it rewrites it to the word skip", async (t) => {
  const { script, open } = world(t, () => ({ pre_gateway_dispatch: [{ command: "~/gate.sh" }] }), { auto: true });
  const { api } = open();
  for (const [answer, outcome] of [
    ['{"action":"skip"}', "blocked"],
    ['{"action":"rewrite","text":"skip"}', "allowed"],
    ['{"action":"hold"}', "failed"],
  ] as const) {
    script("gate.sh", `#!/bin/sh\necho '${answer}'\n`);
    const [trial] = await api.test("pre_gateway_dispatch", {}, new AbortController().signal);
    assert.equal(trial?.outcome, outcome, `${answer}: ${trial?.detail}`);
  }
});
