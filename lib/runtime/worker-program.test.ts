import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { layOutHome } from "../base/home.js";

import { loadConfig } from "../config/load-config.js";
import { readWorkerProgram } from "./worker-program.js";

const CASES: readonly {
  readonly title: string;
  readonly config: string;
  readonly id: string;
  readonly problem?: RegExp;
}[] = [
  { title: "without a setting tasks are worked by the product itself", config: "", id: "native" },
  { title: "an app-server on PATH works tasks", config: "worker: { program: app-server }", id: "app-server" },
  {
    title: "an app-server that is not installed is named",
    config: "worker: { program: app-server }\napp_server: { command: nosuch }",
    id: "app-server",
    problem: /app-server, but nosuch is not on PATH/,
  },
  {
    title: "an absolute path that is not a program is named",
    config: "worker: { program: app-server }\napp_server: { command: /etc/passwd }",
    id: "app-server",
    problem: /but \/etc\/passwd is not a program/,
  },
  {
    title: "a relative path is refused: every task has another directory",
    config: "worker: { program: acp, command: [./codex] }",
    id: "acp",
    problem: /neither a name on PATH nor an absolute path/,
  },
  {
    title: "acp takes its command with arguments",
    config: "worker: { program: acp, command: [codex, acp] }",
    id: "acp",
  },
  { title: "acp needs a command", config: "worker: { program: acp }", id: "acp", problem: /worker.command is empty/ },
  {
    title: "a misspelled program is not taken for another one",
    config: "worker: { program: appserver }",
    id: "native",
    problem: /must be native, app-server or acp, not "appserver"/,
  },
];

for (const { title, config: text, id, problem } of CASES) {
  test(title, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "program-"));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    writeFileSync(join(dir, "config.yaml"), text);
    const bin = join(dir, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "codex"), "#!/bin/sh\n");
    chmodSync(join(bin, "codex"), 0o755);
    const clock = manualClock("2026-03-29T00:30:00Z");
    const config = await loadConfig({ home: layOutHome(dir), env: {}, clock, keys: [], readonly: true });
    const found = readWorkerProgram(config, bin);
    assert.equal(found.id, id);
    if (problem === undefined) assert.equal(found.problem, undefined);
    else assert.match(found.problem ?? "", problem);
  });
}
