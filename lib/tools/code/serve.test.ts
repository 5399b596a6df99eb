import assert from "node:assert/strict";
import { test } from "node:test";
import { type CodeService, serve } from "./serve.js";

type Call = CodeService["call"];

/** A program that calls tools: `say` writes to its descriptor 4, `heard` is what came back over descriptor 3. */
function program(call: Call) {
  const heard: Record<string, unknown>[] = [];
  let listen: (chunk: Buffer) => void = () => undefined;
  const channel = {
    send: (text: string) => {
      heard.push(JSON.parse(text) as Record<string, unknown>); // lines of JSON, one at a time
      return true;
    },
    onData: (listener: (chunk: Buffer) => void) => {
      listen = listener;
    },
  };
  const names = ["terminal", "write_file"];
  const served = serve(channel, "", { names, offered: new Set(names), max: 10, call });
  heard.shift(); // the code itself
  return { heard, served, say: (bytes: string | Buffer) => listen(Buffer.from(bytes)) };
}

const asked = (id: number, name: string, args: object) => `${JSON.stringify({ id, name, args })}\n`;
const fine: Call = async () => ({ content: '"done"', status: "ok" });

test("a call that the conversation itself could not carry out is an error in the program, and ends nothing else", async () => {
  const { heard, served, say } = program(async () => {
    throw new Error("the disk is full");
  });
  say(asked(1, "terminal", { command: "ls" }));
  await served.settled();
  assert.deepEqual(heard, [{ id: 1, error: "the disk is full" }]);
  assert.deepEqual(served.failed, [{ tool: "terminal", error: "the disk is full" }]);
});

test("a call that is too long is answered, so that the program does not wait for ever, and the next one is heard", async () => {
  const { heard, served, say } = program(fine);
  const part = Buffer.alloc(33 << 20, "x");
  say('{"id": 7, "name": "write_file", "args": {"content": "');
  say(part);
  say(part);
  say(part);
  say(`"}}\n${asked(8, "write_file", {})}`);
  await served.settled();
  assert.deepEqual(heard, [
    { id: 7, error: "the arguments of a call may have at most 64 MB" },
    { id: 8, result: "done" },
  ]);
});

test("calls are heard wherever their bytes are cut", async () => {
  const { heard, served, say } = program(fine);
  for (const byte of Buffer.from(asked(1, "terminal", { command: "écho" }) + asked(2, "terminal", {})))
    say(Buffer.from([byte]));
  await served.settled();
  assert.deepEqual(
    heard.map(({ id }) => id),
    [1, 2],
  );
});

for (const background of [true, "true", "yes", 1]) {
  test(`a program cannot leave a process behind: background ${JSON.stringify(background)} is refused`, async () => {
    let made = 0;
    const { heard, served, say } = program(async () => {
      made += 1;
      return { content: "{}", status: "ok" };
    });
    say(asked(1, "terminal", { command: "sleep 9", background }));
    await served.settled();
    assert.deepEqual(heard, [{ id: 1, error: "terminal runs in the foreground here" }]);
    assert.equal(made, 0);
  });
}
