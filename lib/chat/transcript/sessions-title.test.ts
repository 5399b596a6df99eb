import assert from "node:assert/strict";
import { test } from "node:test";
import { titleFrom } from "./sessions-title.js";

const PICTURE = "[image red dot.png: /home/a/.agent/cache/attached/20261121_000000_aaaa/0123456789abcdef-red dot.png]";

const TITLES: readonly (readonly [what: string, message: string, title: string])[] = [
  ["the beginning of the message", "What is\n this?", "What is this?"],
  ["words beside a picture", `${PICTURE} what is this?`, "what is this?"],
  ["the picture where there are no words", `${PICTURE}\n`, "red dot.png"],
  ["brackets that are no picture", "[image of a cat] draw it", "[image of a cat] draw it"],
  [
    "the words, and not the files that they mention",
    "mend @file:a.ts\n\n[File a.ts: 2 lines]\n```\none\n```",
    "mend @file:a.ts",
  ],
  ["nothing for what cannot be seen", "\u200b\n", ""],
];

for (const [what, message, title] of TITLES)
  test(`the title of a session is ${what}`, () => assert.equal(titleFrom(message), title));
