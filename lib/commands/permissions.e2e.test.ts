import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { world } from "../../fixtures/e2e/world.js";

/** A line that needs approval, and one beside it that the same rule must not cover. */
const DENIED: readonly (readonly [line: string, beside: string])[] = [
  ["rm -rf q", "rm -rf r"],
  ["python3 -c 'print(1)'", "python3 -c 'print(2)'"],
  ["terraform destroy", "terraform apply"],
  ["rm -rf a && git reset --hard", "rm -rf a && git clean -fd"],
  ["{ echo \"it's\" | frobnicate 'a b'; } > /opt/x", "{ echo \"it's\" | frobnicate 'a c'; } > /opt/x"],
];

test("the command line that a denial prints, pasted into a shell, allows the call and nothing beside it", async (t) => {
  const { run, work, env, program, home } = await world(t, { config: 'terminal:\n  cage: "off"\n' });
  const bin = join(home.dir, "..", "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "agent"), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  chmodSync(join(bin, "agent"), 0o755);
  const decided = async (line: string) => /^decision: (\w+)/m.exec((await run(["permissions", "test", line])).out)?.[1];
  for (const [line, beside] of DENIED) {
    const { out } = await run(["permissions", "test", line]);
    assert.match(out, /^decision: ask/m, out);
    const printed = /^allow it with: (agent permissions allow [\s\S]*)\n$/m.exec(out)?.[1];
    assert.ok(printed !== undefined, out);
    execFileSync("/bin/sh", ["-c", printed], { cwd: work, env: { ...env, PATH: `${bin}:${env["PATH"] ?? ""}` } });
    assert.deepEqual([await decided(line), await decided(beside)], ["allowed", "ask"], `${line}: ${printed}`);
  }
});
