import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { layOutHome } from "../../base/home.js";
import { type ExecScope, inspect } from "../exec/exec.js";
import { createLineage, createRedactor } from "../redact/redact.js";
import { fitJson, plainText } from "../redact/text.js";
import { glob } from "./glob.js";
import { absolutePath, guardRead, guardWrite } from "./paths.js";

const scope: ExecScope = {
  home: layOutHome("/srv/u/.agent"),
  userHome: "/srv/u",
  project: "/srv/u/p",
  env: {},
  cwd: "/srv/u/p",
};

const PIECES = [
  "rm",
  "-rf",
  "/",
  "'",
  '"',
  "$(",
  ")",
  "`",
  "|",
  "&&",
  ";",
  "\n",
  "<<E",
  "E",
  ">",
  "if",
  "then",
  "fi",
  "case",
  "esac",
  "in",
  "{",
  "}",
  "\\",
  "$X",
  "${",
  "a=b",
  "#",
  " ",
  "((",
  "))",
  "for",
  "do",
  "done",
  "[[",
  "]]",
  "é",
  "\u202e",
  "sudo",
  "eval",
  "sh",
  "-c",
];
const line = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 4 })), { maxLength: 40 })
  .map((parts) => parts.join(" "));
const glued = fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((parts) => parts.join(""));

test("no command line makes the parser throw", () => {
  fc.assert(
    fc.property(fc.oneof(line, glued, fc.string({ unit: "binary" })), (command) => {
      const { risks, parsed } = inspect(command, scope);
      assert.ok(Array.isArray(risks) && Array.isArray(parsed.commands));
    }),
    { numRuns: 3_000 },
  );
});

test("a line that ends the system is blocked wherever it stands, or the line cannot be read", () => {
  // Programs that start others stand directly before the words; what the shell itself reads stands around them.
  const starter = fc.constantFrom(
    "sudo X",
    "nohup X",
    "env A=1 X",
    "timeout 5 X",
    "nice -n 5 X",
    "command X",
    "exec X",
    "xargs X",
    "/usr/bin/env X",
  );
  const around = fc.constantFrom(
    "X",
    "ls && X",
    "ls; X",
    "(X)",
    "{ X; }",
    "if true; then X; fi",
    'echo "$(X)"',
    "echo `X`",
    "! X",
    "ls | X",
    "X | ls",
    "f() { X; }; f",
    "while X; do :; done",
    "for i in a; do X; done",
    "cat <(X)",
    "X &",
    "X > out",
    "case a in a) X;; esac",
  );
  const shapesOf = fc
    .tuple(
      fc.array(starter, { maxLength: 3 }),
      fc.constantFrom("X", "A=1 X"),
      fc.array(around, { minLength: 1, maxLength: 4 }),
    )
    .map(([inner, assignment, outer]) => [...inner, assignment, ...outer]);
  fc.assert(
    fc.property(shapesOf, (shapes) => {
      const command = shapes.reduce(
        (inner, shape) => shape.replace("X", () => (shape.includes("`") ? inner.replaceAll(/[`\\]/g, "\\$&") : inner)),
        "rm -rf /",
      );
      const { blocked, risks } = inspect(command, scope);
      assert.ok(
        blocked !== undefined || risks.some((risk) => risk.class === "unparsable" || risk.class === "dynamic-program"),
        command,
      );
    }),
    { numRuns: 2_000 },
  );
});

const secretText = fc.array(
  fc.oneof(
    fc.constantFrom(
      "sk-abcdefghijklmnop1",
      "TOKEN=abcdefgh1234",
      '"password": "hunter2hunter2"',
      "Authorization: Bearer abcdefghijkl",
      "-----BEGIN PRIVATE KEY-----\nab c\n-----END PRIVATE KEY-----",
      "value-known",
      " ",
      "\n",
      "=",
      '"',
    ),
    fc.string({ maxLength: 6 }),
  ),
  { maxLength: 12 },
);

test("a stream is redacted like the whole text, wherever it is cut at blanks", () => {
  fc.assert(
    fc.property(secretText, fc.array(fc.nat(400), { maxLength: 6 }), (parts, cuts) => {
      const text = parts.join(" ");
      const make = () => createRedactor({ known: () => ["value-known"], enabled: true, lineage: createLineage() });
      const whole = make().text(text);
      const stream = make().stream();
      const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
      const pieces = [0, ...places].map((from, index) => stream.push(text.slice(from, places[index] ?? text.length)));
      const streamed = pieces.join("") + stream.end();
      for (const secret of ["sk-abcdefghijklmnop1", "value-known"])
        assert.equal(streamed.includes(secret), whole.includes(secret));
    }),
    { numRuns: 2_000 },
  );
});

test("no path makes the guards throw", () => {
  const part = fc.oneof(
    fc.constantFrom("..", ".", "~", "", "etc", "proc", "self", ".ssh", ".env", "\0", "a".repeat(300)),
    fc.string({ maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const path = absolutePath(parts.join("/"), scope.project, scope.userHome);
      assert.equal(typeof guardWrite(path, scope).ok, "boolean");
      assert.equal(typeof guardRead(path, scope).ok, "boolean");
    }),
    { numRuns: 1_000 },
  );
});

test("no pattern makes a glob throw or hang", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("*", "**", "/", "a", "?", "[", "]", "{", "}", ",", "\\", "!"), { maxLength: 30 }),
      fc.string({ maxLength: 40 }),
      (parts, text) => {
        assert.equal(typeof glob(parts.join("")).path(text), "boolean");
        assert.equal(typeof glob(parts.join("")).word(text), "boolean");
      },
    ),
  );
});

test("plain text has no control characters, and cut JSON stays JSON", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      assert.doesNotMatch(plainText(text), /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      const cut = fitJson({ a: text.repeat(50), b: [text] }, 400);
      if (cut !== undefined) {
        assert.ok(cut.length <= 400);
        JSON.parse(cut);
      }
    }),
  );
});
