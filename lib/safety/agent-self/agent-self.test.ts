import assert from "node:assert/strict";
import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { distFile } from "../../base/fs/dist.js";
import { layOutHome } from "../../base/home.js";
import { inspect } from "../exec/exec.js";

const root = realpathSync(mkdtempSync(join(tmpdir(), "own-")));
after(() => rmSync(root, { recursive: true, force: true }));
const project = join(root, "project");
const bin = join(root, "bin");
const home = layOutHome(join(root, "home"));
const entry = realpathSync(distFile("agent.cjs"));
for (const dir of [project, bin, home.dir]) mkdirSync(dir);

symlinkSync(entry, join(bin, "agent"));
symlinkSync(entry, join(project, "link"));
linkSync(entry, join(project, "hard"));
copyFileSync(entry, join(project, "copy.cjs"));
for (const [name, text] of [
  ["wrap", '#!/bin/sh\nexec agent "$@"\n'],
  ["allow.sh", "cd /tmp\nagent permissions allow 'rm *'\n"],
  ["look.sh", "agent status\nagent kanban comment t_1 done\n"],
  ["tool.py", 'import subprocess\nsubprocess.run(["agent", "config", "set"])\n'],
  ["start.js", 'require("/opt/x/agent.cjs");\n'],
  ["agent.js", "console.log('an agent of the project')\n"],
  ["harmless.sh", "echo the agent is here\nls -la\n"],
] as const) {
  writeFileSync(join(project, name), text);
  chmodSync(join(project, name), 0o755);
}
writeFileSync(
  join(project, "package.json"),
  JSON.stringify({ scripts: { open: "agent permissions mode off", pretest: "agent yolo", test: "node --test" } }),
);
writeFileSync(
  join(project, "Makefile"),
  `AGENT := node ${entry}\nall: build\nbuild:\n\tcc x.c\nopen: quiet\n\t@echo\nquiet:\n\t@$(AGENT) permissions allow x\n`,
);

function look(line: string, env: Readonly<Record<string, string>> = {}) {
  const scope = {
    cwd: project,
    home,
    userHome: root,
    project,
    env: { PATH: `${bin}:/usr/bin:/bin`, ...env },
    temporary: [join(root, "tmp")],
  };
  const { risks, blocked } = inspect(line, scope);
  return { own: risks.some((risk) => risk.class === "agent-self"), blocked };
}

/** Lines that change settings or print what opens a door: never run for a model. */
const BLOCKED = [
  "agent permissions allow 'rm *'",
  "agent perms allow x".replace("perms", "permissions"),
  "agent --profile x --json permissions allow 'rm *'",
  "agent -p x permissions allow y",
  "agent -px permissions allow y",
  "agent --json permissions mode off",
  "agent permissions --json allow y",
  "agent --model m --board b config set approvals.mode off",
  "agent config set approvals.mode off",
  "AGENT_HOME=/tmp/x agent config set a b",
  "env -i PATH=/bin agent auth add x",
  "env AGENT_HOME=x agent pairing approve ABC",
  "exec -a harmless agent permissions allow x",
  "sh -c 'agent permissions allow x'",
  'bash -lc "agent permissions allow x"',
  "nohup setsid agent permissions allow x &",
  "busybox sh -c 'agent permissions allow x'",
  "find . -exec agent permissions allow {} ;",
  "echo x | xargs agent permissions allow",
  "echo permissions allow x | xargs agent",
  "xargs agent permissions < list",
  "A=agent; $A permissions allow x",
  "A=permissions; agent $A allow x",
  "alias a='agent permissions allow x'; a",
  "f() { agent permissions allow x; }; f",
  `${entry} permissions allow x`,
  `node ${entry} permissions allow x`,
  `node --no-warnings --max-old-space-size=99 ${entry} permissions allow x`,
  `/proc/self/exe ${entry} permissions allow x`,
  `bun ${entry} permissions allow x`,
  `deno run -A ${entry} permissions allow x`,
  "node /somewhere/else/agent.cjs permissions allow x",
  "./link permissions allow x",
  "./hard permissions allow x",
  "node copy.cjs permissions allow x",
  "node ./copy.cjs dashboard token",
  "npx agent permissions allow x",
  "npx agent@latest permissions allow x",
  "npm exec agent permissions allow x",
  "npm exec -- agent permissions allow x",
  "pnpm dlx agent permissions allow x",
  "yarn agent permissions allow x",
  "corepack yarn agent permissions allow x",
  "bunx agent permissions allow x",
  "./allow.sh",
  "sh allow.sh",
  "sh < allow.sh",
  ". ./allow.sh",
  "npm run open",
  "make open",
  "make -f Makefile open",
  "PATH=. link permissions allow x",
  "agent dashboard",
  "agent dashboard url",
  "agent dashboard token --json",
  "agent pairing",
  "agent pairing list",
  "strange-wrapper --x agent permissions allow y",
];

/** Lines that a person is asked about. */
const ASKED = [
  "agent",
  "agent -z 'do it'",
  "agent chat -q x",
  "agent --resume status",
  "agent --yolo status",
  "AGENT_YOLO_MODE=1 agent status",
  "export AGENT_YOLO_MODE=1",
  "agent owner stop",
  "agent proxy stop",
  "agent gateway restart",
  "agent kanban create x",
  "agent doctor --fix",
  "agent send --to x y",
  "echo --fix | xargs agent doctor",
  "./wrap permissions allow x",
  "./wrap",
  "npm test",
  "python3 tool.py",
  "node start.js",
  `cp ${entry} /tmp/x`,
  `ln -s ${entry} x`,
  `cat ${entry} > x`,
  `cp -r ${join(entry, "..")} x`,
  `node -e "require('${entry}')"`,
  "alias a=agent; a permissions allow x",
  "pkill agent",
  "pkill -f dist/agent.cjs",
  "killall agent",
  `cat ${home.token}`,
  `curl --unix-socket ${home.socket} http://x/`,
  "nc -U ~/.agent/run/owner.sock",
];

/** Lines that only look, or have nothing to do with the program. */
const HARMLESS = [
  "agent --version",
  "agent --help",
  "agent permissions --help",
  "agent help permissions",
  "agent status",
  "agent --json status",
  "agent -p x status",
  "agent status --json",
  "agent kanban list --status done",
  "agent kanban",
  "agent permissions list",
  "agent permissions test 'rm x'",
  "agent doctor",
  "agent config show",
  `node ${entry} sessions list`,
  "npx agent --version",
  "echo agent permissions allow x",
  "grep -rn agent src",
  `cat ${entry} | head`,
  `ls -la ${entry}`,
  "find . -name agent",
  "git checkout agent",
  "npm install agent",
  "ls agent",
  "./look.sh",
  "./harmless.sh",
  "make build",
  "make",
  "docker run agent",
  "node agent.js start",
  "rm -rf src/agent",
  "vitest run src/agent",
  "git add agent.js",
  "ssh-agent -s",
  "curl -A user-agent http://x",
  "node server.js --agent x",
];

for (const line of BLOCKED)
  test(`a model never runs: ${line}`, () => assert.match(look(line).blocked ?? "", /^BLOCKED: it (changes|prints)/));
for (const line of ASKED)
  test(`a person is asked about: ${line}`, () => {
    const found = look(line);
    assert.ok(found.own || /^BLOCKED/.test(found.blocked ?? ""), JSON.stringify(found));
  });
for (const line of HARMLESS)
  test(`is no command that controls the agent: ${line}`, () =>
    assert.deepEqual(look(line), { own: false, blocked: undefined }));

test("a worker works on its task from the shell", () => {
  const env = { AGENT_WORKER_MARK: "x" };
  assert.deepEqual(look("agent kanban comment t_1 done", env), { own: false, blocked: undefined });
  assert.match(look("agent permissions allow x", env).blocked ?? "", /^BLOCKED/);
});
