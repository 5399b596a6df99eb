import assert from "node:assert/strict";
import { test } from "node:test";
import { slashWorld } from "../../../fixtures/sim/slash-world.js";
import { sessionAsks } from "../../commands/conversation/conversation.js";
import { GLOBALS } from "../../commands/globals.js";
import { sessionMethods } from "./session-methods.js";

const create = (t: Parameters<typeof slashWorld>[0]) =>
  sessionMethods(slashWorld(t).chat).get("session.create") ?? assert.fail("no method");

test("a front end that names a rule which cannot be understood is refused, and told which", (t) => {
  for (const list of ["allow", "deny"] as const) {
    const given = create(t).params.safeParse({ cwd: "/", [list]: ["ls", "("] });
    assert.match(given.error?.message ?? "", /'\('/, list);
  }
});

test("what the command line asks of a conversation reaches it from a front end, too", (t) => {
  const asked = {
    model: "m",
    provider: "p",
    toolsets: "file, web",
    yolo: true,
    ephemeral: true,
    checkpoints: true,
    max_turns: 3,
    max_cost: 0.5,
    allow: ["ls"],
    deny: ["rm"],
    ignore_rules: true,
  };
  for (const name of Object.keys(asked))
    assert.ok(
      GLOBALS.some((flag) => flag.name === name),
      name,
    );
  assert.deepEqual(create(t).params.parse({ cwd: "/", ...sessionAsks(asked) }), {
    source: "cli",
    cwd: "/",
    env: {},
    model: "m",
    provider: "p",
    toolsets: ["file", "web"],
    yolo: true,
    ephemeral: true,
    checkpoints: true,
    max_turns: 3,
    max_cost_usd: 0.5,
    allow: ["ls"],
    deny: ["rm"],
    ignore_rules: true,
  });
  assert.deepEqual(sessionAsks({}), { allow: [], deny: [], ignore_rules: false });
});
