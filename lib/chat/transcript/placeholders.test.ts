import assert from "node:assert/strict";
import { test } from "node:test";
import type { Transcript } from "../../contracts/chat/chat.js";
import { createLineage, createRedactor, type Lineage } from "../../safety/redact/redact.js";
import { ofParent, restorePlaceholders, withStoredPlaceholders } from "./placeholders.js";

const FIRST = "sk-aaaaaaaaaaaaaaa1";
const SECOND = "sk-bbbbbbbbbbbbbbb2";
const redacting = (lineage: Lineage) => (text: string) =>
  createRedactor({ known: () => [], enabled: true, lineage }).text(text);

/** A transcript that keeps records and notes what is written in which order. */
function recording(records = new Map<string, string>()) {
  const written: string[] = [];
  const note = (what: string) => async () => void written.push(what);
  const transcript = {
    record: async (name: string) => records.get(name),
    setRecord: async (name: string, json: string) => {
      records.set(name, json);
      written.push(name);
    },
    append: note("append"),
    draft: note("draft"),
  } as unknown as Transcript; // nothing else is used here
  return { transcript, records, written };
}

test("a placeholder is durable before the message that shows it, and is stored once", async () => {
  const { transcript, written } = recording();
  const lineage = createLineage();
  const wrapped = withStoredPlaceholders(transcript, lineage);
  redacting(lineage)(FIRST);
  await wrapped.draft("t" as never, "");
  await wrapped.append("t" as never, []);
  redacting(lineage)(SECOND);
  await wrapped.append("t" as never, []);
  assert.deepEqual(written, ["placeholders", "draft", "append", "placeholders", "append"]);
});

test("after a restart a value has the placeholder it had, and a new value has a new one", async () => {
  const { transcript, records } = recording();
  const before = createLineage();
  redacting(before)(`${FIRST} ${SECOND}`);
  await withStoredPlaceholders(transcript, before).append("t" as never, []);
  const after = createLineage();
  await restorePlaceholders(recording(records).transcript, after);
  assert.equal(redacting(after)("sk-ccccccccccccccc3"), "«secret:api_key:3»");
  assert.equal(redacting(after)(SECOND), "«secret:api_key:2»");
});

test("a record that cannot be read does not keep a conversation from going on", async () => {
  const lineage = createLineage();
  await restorePlaceholders(recording(new Map([["placeholders", "{"]])).transcript, lineage);
  assert.equal(redacting(lineage)(FIRST), "«secret:api_key:1»");
});

test("what a child meets is kept by its parent, not by the child", async () => {
  const parent = recording();
  const child = recording();
  const lineage = createLineage();
  await restorePlaceholders(parent.transcript, lineage);
  const childs = ofParent(lineage);
  await restorePlaceholders(child.transcript, childs);
  assert.equal(redacting(childs)(FIRST), "«secret:api_key:1»");
  await withStoredPlaceholders(child.transcript, childs).append("t" as never, []);
  await withStoredPlaceholders(parent.transcript, lineage).append("t" as never, []);
  assert.deepEqual([child.written, parent.written], [["append"], ["placeholders", "append"]]);
});
