import assert from "node:assert/strict";
import { test } from "node:test";
import { cutAtSentence, taggedOnly } from "./speech-text.js";

test("a long text is cut after a sentence, else after a word, and never inside a character", () => {
  assert.equal(cutAtSentence("One. Two.", 100), "One. Two.");
  assert.equal(cutAtSentence("One is here. Two is there. Three", 28), "One is here. Two is there.");
  assert.equal(cutAtSentence('He said "no." Then he left the room', 20), 'He said "no."');
  assert.equal(cutAtSentence("Version 1.25 of it all", 14), "Version 1.25");
  assert.equal(cutAtSentence("no sentence ends here", 13), "no sentence");
  assert.equal(cutAtSentence("😀".repeat(10), 4), "😀".repeat(4));
  assert.equal(cutAtSentence("Exactly. More", 8), "Exactly.");
});

test("a model that adds tags to a text may not change its words", () => {
  assert.equal(
    taggedOnly("That is funny. Really.", "That is funny. [laughs] Really."),
    "That is funny. [laughs] Really.",
  );
  assert.equal(taggedOnly("That is funny.", "That is sad."), "That is funny.");
  assert.equal(taggedOnly("See [1] here.", "See [1] [sighs] here."), "See [1] [sighs] here.");
});
