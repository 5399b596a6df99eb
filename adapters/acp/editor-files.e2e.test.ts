import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { methods, RequestError } from "@agentclientprotocol/sdk";
import { type EditorGiven, editor } from "../../fixtures/e2e/acp-editor.js";
import { type World, world } from "../../fixtures/e2e/world.js";
import type { Reply } from "../../fixtures/servers/model/script.js";

const FILES = { fs: { readTextFile: true, writeTextFile: true } };

const call = (name: string, args: object): Reply => ({ tool_calls: [{ name, arguments: args }] });
const done: Reply = { text: "Done." };

const scripted = (t: TestContext, replies: readonly Reply[]) =>
  world(t, { model: { script: { replies } }, name: "any" });

/** An editor that has files open, and what it was asked. */
async function editing(t: TestContext, made: World, given: EditorGiven = {}) {
  const buffers = new Map<string, string>();
  const asked: string[] = [];
  const used = await editor(t, made, {
    capabilities: FILES,
    read: async ({ path }) => {
      asked.push(`read ${path}`);
      const text = buffers.get(path);
      if (text === undefined) throw RequestError.resourceNotFound(path);
      return text;
    },
    write: async ({ path, content }) => {
      asked.push(`write ${path}`);
      buffers.set(path, content);
    },
    ...given,
  });
  return { ...used, buffers, asked };
}

/** Results of the calls of a conversation, as the model got them. */
function results(made: World): Record<string, unknown>[] {
  const messages = made.model.chats().at(-1)?.body?.messages ?? [];
  return messages.filter(({ role }) => role === "tool").map(({ content }) => JSON.parse(String(content)));
}

test("the tools read what is not saved, by lines too, and write through the editor, not to disk", async (t) => {
  const made = await scripted(t, [
    call("read_file", { path: "a.txt" }),
    call("read_file", { path: "a.txt", offset: 2, limit: 1 }),
    call("patch", { path: "a.txt", old_string: "unsaved", new_string: "patched" }),
    call("write_file", { path: "new/b.txt", content: "b\n" }),
    done,
  ]);
  const path = join(made.work, "a.txt");
  writeFileSync(path, "one\n");
  const used = await editing(t, made);
  used.buffers.set(path, "one\nunsaved\n");
  const id = await used.open();
  assert.equal(await used.prompt(id, "do it"), "end_turn");
  const [whole, lines, patched, written] = results(made);
  assert.deepEqual([whole?.["content"], lines?.["content"]], ["1|one\n2|unsaved", "2|unsaved"]);
  assert.equal(patched?.["success"], true);
  assert.equal(written?.["created"], true);
  assert.equal(used.buffers.get(path), "one\npatched\n");
  assert.equal(used.buffers.get(join(made.work, "new/b.txt")), "b\n");
  assert.equal(readFileSync(path, "utf8"), "one\n");
  assert.equal(existsSync(join(made.work, "new/b.txt")), false);
  const diffs = used
    .of("tool_call_update")
    .flatMap(({ content = [] }) => content?.filter(({ type }) => type === "diff") ?? []);
  assert.deepEqual(diffs[0], { type: "diff", path, oldText: "one\nunsaved", newText: "one\npatched" });
});

test("a file outside the session's directory is read from disk, and so is everything where the editor offers nothing", async (t) => {
  const made = await scripted(t, [
    call("read_file", { path: "../outside.txt" }),
    done,
    call("read_file", { path: "a.txt" }),
    done,
  ]);
  writeFileSync(join(made.work, "..", "outside.txt"), "outside\n");
  writeFileSync(join(made.work, "a.txt"), "disk\n");
  const used = await editing(t, made);
  await used.prompt(await used.open(), "read");
  assert.equal(results(made)[0]?.["content"], "1|outside");
  assert.deepEqual(used.asked, []);
  const plain = await editor(t, made);
  await plain.prompt(await plain.open(), "read");
  assert.equal(results(made)[0]?.["content"], "1|disk");
});

test("a write that the editor refuses is an error that says what to do, and nothing is written", async (t) => {
  const made = await scripted(t, [call("write_file", { path: "a.txt", content: "two\n" }), done]);
  const path = join(made.work, "a.txt");
  writeFileSync(path, "one\n");
  const used = await editing(t, made, {
    write: async () => {
      throw new RequestError(-32603, "the file is read-only");
    },
  });
  assert.equal(await used.prompt(await used.open(), "write"), "end_turn");
  assert.match(
    String(results(made)[0]?.["error"]),
    /the editor refused: the file is read-only\. Nothing was changed; ask the user/,
  );
  assert.equal(readFileSync(path, "utf8"), "one\n");
});

for (const [what, reply] of [
  ["read", call("read_file", { path: "a.txt" })],
  ["write", call("write_file", { path: "a.txt", content: "two\n" })],
] as const)
  test(`a turn that waits for a ${what} of the editor is cancelled, and the editor hears of it`, async (t) => {
    const made = await scripted(t, [reply, done]);
    const path = join(made.work, "a.txt");
    writeFileSync(path, "one\n");
    let begun: () => void = () => undefined;
    let cancelled: () => void = () => undefined;
    const beginning = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const cancelling = new Promise<void>((resolve) => {
      cancelled = resolve;
    });
    const hang = (signal: AbortSignal): Promise<never> =>
      new Promise((_, reject) => {
        signal.addEventListener("abort", () => {
          cancelled();
          reject(signal.reason);
        });
        begun();
      });
    const used = await editing(t, made, {
      ...(what === "read" ? { read: (_, signal) => hang(signal) } : {}),
      ...(what === "write" ? { write: (_, signal) => hang(signal) } : {}),
    });
    const id = await used.open();
    const prompt = used.prompt(id, "go");
    await beginning;
    await used.agent.notify(methods.agent.session.cancel, { sessionId: id });
    assert.equal(await prompt, "cancelled");
    await cancelling;
    assert.equal(readFileSync(path, "utf8"), "one\n");
  });

test("an editor that is killed in the middle of a write leaves the file as it was, and the result says that it is unknown", async (t) => {
  const made = await scripted(t, [call("write_file", { path: "a.txt", content: "two\n" }), done]);
  const path = join(made.work, "a.txt");
  writeFileSync(path, "one\n");
  await made.owner();
  let begun: () => void = () => undefined;
  const beginning = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const used = await editing(t, made, {
    write: () => {
      begun();
      return new Promise(() => undefined);
    },
  });
  const id = await used.open();
  const prompt = used.prompt(id, "write");
  prompt.catch(() => undefined);
  await beginning;
  used.child.kill("SIGKILL");
  await used.ended;
  await made.event(({ event, session_id }) => event === "turn.ended" && session_id === id, "sessions");
  const messages = await made
    .client()
    .call<{ role: string; content: string }[]>("session.messages", { session_id: id });
  const [result] = messages.filter(({ role }) => role === "tool");
  assert.match(result?.content ?? "", /is unknown whether .* was written: the editor has disconnected/);
  assert.equal(readFileSync(path, "utf8"), "one\n");
});

test("texts larger than a message travel whole, and an owner that takes over serves the editor again", async (t) => {
  const long = `${"äöü€".repeat(16)}\n`.repeat(20_000);
  const made = await scripted(t, [
    call("patch", { path: "a.txt", old_string: "end", new_string: "END" }),
    done,
    call("read_file", { path: "a.txt", offset: 20_001 }),
    done,
  ]);
  const path = join(made.work, "a.txt");
  writeFileSync(path, "short\n");
  const owner = await made.owner();
  const used = await editing(t, made);
  used.buffers.set(path, `${long}end\n`);
  const id = await used.open();
  assert.equal(await used.prompt(id, "patch"), "end_turn");
  assert.equal(used.buffers.get(path), `${long}END\n`);
  process.kill(owner.pid, "SIGKILL");
  await owner.ended;
  assert.equal(await used.prompt(id, "read"), "end_turn");
  assert.equal(results(made).at(-1)?.["content"], "20001|END");
});
