import assert from "node:assert/strict";
import { test } from "node:test";
import { listTopics, parseTopic } from "./help.js";

test("a topic is shown without its front matter and marks", () => {
  const file =
    "---\ntitle: Boards\nsummary: What boards are.\norder: 20\n---\n# Boards\n\n<!-- gen:commands kanban -->\n- one\n<!-- /gen -->\n";
  assert.deepEqual(parseTopic("kanban", file), {
    name: "kanban",
    title: "Boards",
    summary: "What boards are.",
    order: 20,
    text: "# Boards\n\n- one",
  });
});

test("a topic without front matter is still a topic, at the end of the list", () => {
  assert.deepEqual(parseTopic("x", "words\n"), { name: "x", title: "x", summary: "", order: 1000, text: "words" });
});

test("the built product has its topics, each with a title and a summary", async () => {
  const topics = await listTopics();
  assert.ok(topics.length >= 10, `${topics.length} topics`);
  for (const topic of topics) assert.ok(topic.summary.length > 10 && topic.text.length > 100, topic.name);
  assert.equal(topics[0]?.name, "start");
});
