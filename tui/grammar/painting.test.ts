import assert from "node:assert/strict";
import { test } from "node:test";
import { chatRows } from "../chat/view.js";
import { THEME } from "../draw/theme.js";
import { initialState } from "../model/initial-state.js";
import { BINDINGS } from "../model/keys.js";
import type { Message } from "../model/messages.js";
import type { State } from "../model/state.js";
import { update } from "../model/update.js";
import type { Code, Painted } from "./code.js";
import { createPainting, findVisibleCode, type PaintCode } from "./painting.js";

const chat = (event: string, data: Readonly<Record<string, unknown>> = {}): Message => ({ type: "chat", event, data });
const session = (text: string): Message => ({
  type: "session",
  id: "one",
  title: "work",
  model: "m1",
  items: [{ kind: "answer", key: "a", text, id: 1, interrupted: false, place: undefined }],
});
const after = (state: State, ...messages: readonly Message[]): State =>
  messages.reduce((now, message) => update(now, message)[0], state);
const opened = (text: string): State => after(initialState(100, 30, { owner: true, keymap: BINDINGS }), session(text));

const ANSWER =
  "Look:\n\n```ts\nconst a = 1;\n\treturn a;\n```\n\n- in a list\n\n  ```sh\n  npm test\n  ```\n\n```nonesuch\nx\n```\n";
const ROOM = [98, 24] as const;
const rowTexts = (state: State): readonly string[] =>
  chatRows(state, ...ROOM).map((row) => row.map(([, text]) => text).join(""));
const allOf =
  (style: number): PaintCode =>
  async ({ lines }) =>
    lines.map((line) => (line === "" ? [] : [[style, line]]));
const unexpected = (error: unknown): void => assert.fail(String(error));

/** Everything that was asked for has been answered. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

async function painted(
  state: State,
  paint: PaintCode,
): Promise<{ readonly state: State; readonly messages: readonly Message[] }> {
  const messages: Message[] = [];
  createPainting({ paintCode: paint, log: unexpected }, (message) => messages.push(message)).look(state);
  await settle();
  return { state: after(state, ...messages), messages };
}

test("finished code on the screen gets the colours of its grammar, and every row keeps its place and text", async () => {
  const before = opened(ANSWER);
  assert.deepEqual(
    findVisibleCode(before).map(({ lang, lines }) => [lang, ...lines]),
    [
      ["ts", "const a = 1;", "        return a;"],
      ["sh", "npm test"],
    ],
  );
  const { state } = await painted(before, allOf(THEME.codeComment));
  assert.deepEqual(rowTexts(state), rowTexts(before));
  const row = chatRows(state, ...ROOM).find((one) => one.some(([, text]) => text.includes("const a")));
  assert.deepEqual(
    row?.filter(([, text]) => text.trim() !== ""),
    [[THEME.codeComment, "const a = 1;"]],
  );
});

const FAILURES: readonly (readonly [name: string, paint: PaintCode])[] = [
  ["gives nothing", async () => undefined],
  ["gives another text", async ({ lines }) => lines.map((line): Painted[number] => [[THEME.code, `${line}!`]])],
  ["loses a line", async ({ lines }) => lines.slice(1).map((line): Painted[number] => [[THEME.code, line]])],
];

for (const [name, paint] of FAILURES)
  test(`a grammar that ${name} leaves the first colours`, async () => {
    const before = opened(ANSWER);
    const { state, messages } = await painted(before, paint);
    assert.deepEqual(messages, []);
    assert.deepEqual(chatRows(state, ...ROOM), chatRows(before, ...ROOM));
  });

test("a grammar that throws is logged and leaves the first colours", async () => {
  const errors: unknown[] = [];
  const paint: PaintCode = async () => {
    throw new Error("broken");
  };
  createPainting({ paintCode: paint, log: (_, error) => errors.push(error) }, unexpected).look(
    opened("```ts\na\n```\n"),
  );
  await settle();
  assert.equal(errors.length, 1);
});

test("code that still streams keeps its first colours until its fence is closed", () => {
  const streams = after(opened(""), chat("turn.started"), chat("text.delta", { text: "```ts\nconst a = 1;\n" }));
  assert.deepEqual(findVisibleCode(streams), []);
  const closed = after(streams, chat("text.delta", { text: "```\n\nand\n" }));
  assert.deepEqual(
    findVisibleCode(closed).map(({ lines }) => lines),
    [["const a = 1;"]],
  );
});

test("a block of more than 20 KB keeps its first colours", () => {
  const long = `const a = "${"x".repeat(200)}";\n`.repeat(120);
  assert.deepEqual(findVisibleCode(opened(`\`\`\`ts\n${long}\`\`\`\n`)), []);
});

test("a piece of code is asked for once, however often it is drawn", async () => {
  const asked: string[] = [];
  const paint: PaintCode = async ({ lang }: Pick<Code, "lang">) => {
    asked.push(lang);
    return undefined;
  };
  const painting = createPainting({ paintCode: paint, log: unexpected }, unexpected);
  const state = opened(ANSWER);
  painting.look(state);
  painting.look(state);
  await settle();
  painting.look(after(state, chat("turn.started")));
  assert.deepEqual(asked, ["ts", "sh"]);
});
