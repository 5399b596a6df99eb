import assert from "node:assert/strict";
import { test } from "node:test";
import { streamScript } from "../../fixtures/servers/model/scripts.js";
import { openScreen } from "../../fixtures/tui/screen.js";
import { initialState } from "../model/initial-state.js";
import { BINDINGS } from "../model/keys.js";
import type { Message } from "../model/messages.js";
import { update } from "../model/update.js";

const chat = (event: string, data: Readonly<Record<string, unknown>> = {}): Message => ({ type: "chat", event, data });
const session: Message = { type: "session", id: "one", title: "work", model: "m1", items: [] };
const answerOf = (kilobytes: number): string =>
  streamScript({ model: "m", messages: [{ role: "user", content: `stream ${kilobytes}` }] }, 0).text ?? "";

const PIECE = 100;
const FRAME = 16; // pieces between two frames at 50 KB/s

test("W04: while 200 KB stream in, 80 letters are typed, all of them in order, and it costs a quarter of a core at most", async () => {
  const screen = await openScreen(140, 45);
  const answer = answerOf(200);
  await screen.send(session, chat("turn.started"));
  const letters = Array.from({ length: 80 }, (_, at) => String.fromCharCode(97 + (at % 26))).join("");
  const began = process.cpuUsage();
  let typed = 0;
  let due: Message[] = [];
  for (let at = 0; at < answer.length; at += PIECE) {
    due.push(chat("text.delta", { text: answer.slice(at, at + PIECE) }));
    if (due.length < FRAME) continue;
    const letter = letters[typed++];
    await screen.send(...due, ...(letter === undefined ? [] : [{ type: "text", text: letter } as const]));
    due = [];
  }
  await screen.send(...due);
  const { user, system } = process.cpuUsage(began);
  assert.ok(typed >= 80, `${typed} frames`);
  assert.ok(
    screen.lines().some((line) => line.includes(`› ${letters}`)),
    screen.lines().slice(-5).join("\n"),
  );
  assert.ok(screen.lines().some((line) => line.includes("THE-END")));
  const seconds = (user + system) / 1_000_000;
  assert.ok(seconds < 1.5, `${seconds} s of processor, the emulator's own included, for 4 s of streaming`);
  screen.close();
});

test("a piece of text costs the same at the end of two megabytes as at their beginning", () => {
  const answer = answerOf(2_000);
  let state = update(initialState(140, 45, { owner: true, keymap: BINDINGS }), session)[0];
  const spent = (from: number, to: number): number => {
    const began = process.cpuUsage();
    for (let at = from; at < to; at += PIECE)
      state = update(state, chat("text.delta", { text: answer.slice(at, at + PIECE) }))[0];
    const { user, system } = process.cpuUsage(began);
    return user + system;
  };
  spent(0, 100_000); // so that it is compiled
  const first = spent(100_000, 400_000);
  spent(400_000, 1_700_000);
  const last = spent(1_700_000, 2_000_000);
  assert.ok(last < first * 4 + 20_000, `${first} us, then ${last} us`);
});
