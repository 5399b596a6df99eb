import assert from "node:assert/strict";
import { test } from "node:test";
import { simMessage } from "../../../fixtures/sim/platform.js";
import type { InboundSource } from "../../contracts/board/platform-tag.js";
import { commandIn } from "../router/command-text.js";
import { splitText } from "../text/split-text.js";
import { isShared, type KeyRules, sessionKeyOf } from "./session-key.js";

const RULES: KeyRules = { perUser: true, perUserInThread: false };
const event = (source: Partial<InboundSource>) => {
  const one = simMessage("msgt", "1", "x");
  return { ...one, source: { ...one.source, chatId: "c", userId: "u", ...source } };
};

const KEYS: readonly (readonly [Partial<InboundSource>, Partial<KeyRules>, string, boolean])[] = [
  [{}, {}, "agent:main:msgt:dm:c", false],
  [{ threadId: "t" }, {}, "agent:main:msgt:dm:c:t", false],
  [{ chatId: null, userIdAlt: "a" }, {}, "agent:main:msgt:dm:a", false],
  [{ chatId: null, userId: null, threadId: "t" }, {}, "agent:main:msgt:dm:t", false],
  [{ chatId: null, userId: null }, {}, "agent:main:msgt:dm", false],
  [{ chatType: "group" }, {}, "agent:main:msgt:group:c:u", false],
  [{ chatType: "group", userIdAlt: "a:b%" }, {}, "agent:main:msgt:group:c:a%3Ab%25", false],
  [{ chatType: "group" }, { perUser: false }, "agent:main:msgt:group:c", true],
  [{ chatType: "group", threadId: "t" }, {}, "agent:main:msgt:group:c:t", true],
  [{ chatType: "forum", threadId: "t" }, { perUserInThread: true }, "agent:main:msgt:forum:c:t:u", false],
];

for (const [source, rules, key, shared] of KEYS) {
  test(`messages of ${JSON.stringify(source)} ${JSON.stringify(rules)} belong to ${key}`, () => {
    assert.equal(sessionKeyOf(event(source), { ...RULES, ...rules }), key);
    assert.equal(isShared(event(source), { ...RULES, ...rules }), shared);
  });
}

const COMMANDS: readonly (readonly [string, string | undefined])[] = [
  ["/stop", "stop"],
  ["/Stop@thebot now", "stop"],
  ["/usr/bin/env is broken", undefined],
  [" /stop", undefined],
  ["/", undefined],
  ["stop", undefined],
];

for (const [text, name] of COMMANDS)
  test(`'${text}' ${name === undefined ? "is no command" : `is the command ${name}`}`, () =>
    assert.equal(commandIn({ text }), name));

test("a fenced block that is cut is closed and opened again, and nothing of the text is lost", () => {
  const lines = Array.from({ length: 200 }, (_, at) => `line ${at} of the block`);
  const parts = splitText(`before\n\`\`\`ts\n${lines.join("\n")}\n\`\`\`\nafter`, 1000);
  assert.ok(parts.length > 1);
  for (const part of parts) {
    assert.ok(part.length <= 1000);
    assert.equal((part.match(/^```/gm)?.length ?? 0) % 2, 0);
  }
  for (const line of lines) assert.ok(parts.some((part) => part.includes(`${line}\n`)));
});

test("a cut splits no character", () => {
  const parts = splitText("👩‍👩‍👧‍👦".repeat(40), 100);
  assert.equal(parts.map((part) => part.replace(/ \(\d+\/\d+\)$/, "")).join(""), "👩‍👩‍👧‍👦".repeat(40));
  for (const part of parts) assert.match(part, /^(?:👩‍👩‍👧‍👦)+ \(/);
});
