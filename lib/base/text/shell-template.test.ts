import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { fillShellTemplate } from "./shell-template.js";

const HOSTILE = "a b'c\"d$(echo no)`echo no`\\e;echo no\n$HOME *";

/** What a shell makes of the filled line. */
const printed = (template: string, value = HOSTILE): string =>
  execFileSync("/bin/sh", ["-c", fillShellTemplate(template, { x: value })], { encoding: "utf8", env: { HOME: "/h" } });

test("a value stays one word wherever its placeholder stands, and nothing in it is run", () => {
  assert.equal(printed("printf '%s|' {x}"), `${HOSTILE}|`);
  assert.equal(printed("printf '%s|' a{x}b"), `a${HOSTILE}b|`);
  assert.equal(printed("printf '%s|' '{x}'"), `${HOSTILE}|`);
  assert.equal(printed("printf '%s|' 'it is {x}' z"), `it is ${HOSTILE}|z|`);
  assert.equal(printed('printf "%s|" "{x}"'), `${HOSTILE}|`);
  assert.equal(printed('printf "%s|" "$(printf %s {x})"'), `${HOSTILE}|`);
  assert.equal(printed('printf "%s|" "$(printf %s "<{x}>")"'), `<${HOSTILE}>|`);
  assert.equal(printed("printf '%s|' \\'{x}"), `'${HOSTILE}|`);
  assert.equal(printed("printf '%s|' {x}", ""), "|");
});

test("variables of the shell and unknown names stay as they are", () => {
  assert.equal(fillShellTemplate(`echo \${x} {y} {x}`, { x: "1" }), `echo \${x} {y} '1'`);
});

test("a placeholder beside backticks or a here-document is refused", () => {
  assert.throws(() => fillShellTemplate("echo `cat {x}`", { x: "1" }), /backticks/);
  assert.throws(() => fillShellTemplate("cat <<EOF\n{x}\nEOF", { x: "1" }), /here-documents/);
});
