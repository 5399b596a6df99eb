import assert from "node:assert/strict";
import { test } from "node:test";
import { commandRows } from "../../../fixtures/corpora/commands.js";
import { layOutHome } from "../../base/home.js";
import type { ExecScope } from "./exec.js";
import { inspect } from "./exec.js";

const scope: ExecScope = {
  home: layOutHome("/srv/user/.agent"),
  userHome: "/srv/user",
  project: "/srv/user/project",
  env: {},
  cwd: "/srv/user/project",
};

for (const { command, expected } of commandRows("hostile")) {
  test(`${JSON.stringify(command)} is ${expected}`, () => {
    const { blocked, risks } = inspect(command, scope);
    const classes = risks.map((risk) => risk.class as string);
    if (expected === "blocked") assert.ok(blocked !== undefined, `not blocked; classes: ${classes.join(", ")}`);
    else {
      assert.ok(classes.includes(expected), `classes: ${classes.join(", ") || "none"}`);
      assert.equal(blocked, undefined);
    }
  });
}

for (const { command, expected } of commandRows("harmless")) {
  test(`${JSON.stringify(command)} passes unasked`, () => {
    const { blocked, risks, readOnly } = inspect(command, scope);
    assert.equal(blocked, undefined);
    assert.deepEqual(
      risks.map((risk) => `${risk.class} ${risk.text}`),
      [],
    );
    assert.equal(readOnly, expected === "read-only");
  });
}

const LONG: readonly (readonly [string, string])[] = [
  ["words", "a ".repeat(50_000)],
  ["quotes", "''".repeat(50_000)],
  ["open parentheses", "(".repeat(100_000)],
  ["open substitutions", "$(".repeat(50_000)],
  ["open parameters", "${".repeat(50_000)],
  ["quotes in a parameter", `\${${"a'b'".repeat(25_000)}`],
  ["backticks", "`\\".repeat(33_000)],
  ["braces", "{a,".repeat(33_000)],
  ["closed braces", "{a,b}".repeat(20_000)],
  ["arithmetic", "$((".repeat(33_000)],
  ["pipes", "a|".repeat(50_000)],
  ["here-documents", "<<a ".repeat(25_000)],
  ["wrappers", "sudo ".repeat(20_000)],
  ["redirections", ">a ".repeat(33_000)],
  ["evals", `eval ${"'eval ".repeat(5_000)}`],
  ["assignments", "A=1 ".repeat(25_000)],
];
for (const [name, command] of LONG) {
  test(`a line of 100 kB of ${name} is read in time`, () => {
    const started = process.cpuUsage();
    inspect(command, scope);
    const { user } = process.cpuUsage(started); // time of its own, however busy the machine
    assert.ok(user < 5_000_000, `${user} microseconds`);
  });
}

test("a command behind thousands of others is not overlooked", () => {
  assert.ok(inspect(`${"true;".repeat(5_000)}rm -rf /`, scope).blocked !== undefined);
});

for (const name of ["a[b", "a(b", "*", "+", "a\\b", "a{1", "é", "a.b"]) {
  test(`a function named ${name} is read like any other`, () => {
    assert.equal(inspect(`function ${name} { ls; }; ls`, scope).blocked, undefined);
  });
}

test("a function that starts something else in the background is no fork bomb", () => {
  for (const line of ["f() { server & }; f", "f() { sleep 1 && g & }; f &", "start() { node a.js & echo $!; }; start"])
    assert.equal(inspect(line, scope).blocked, undefined, line);
});
