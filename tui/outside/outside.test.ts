import assert from "node:assert/strict";
import test from "node:test";
import type { Client } from "../../lib/backplane/client.js";
import type { Effect, Message } from "../model/messages.js";
import { clipboardSequence } from "./clipboard.js";
import { notification } from "./notify.js";
import { createOutside, type OutsideParts } from "./outside.js";
import { grabPicture } from "./picture.js";
import type { Programs } from "./programs.js";

type Env = Record<string, string>;

/** The outside with programs that are only noted. */
function outside(env: Env, programs: Partial<Programs> = {}) {
  const seen = {
    bytes: "",
    said: [] as Message[],
    ran: [] as (readonly [readonly string[], string | undefined])[],
    files: new Map<string, string>(),
  };
  let more: () => void = () => undefined;
  const parts: OutsideParts = {
    env,
    clipboardFile: "/home/u/.agent/cache/clipboard.txt",
    client: {} as Client, // nothing here asks the owner
    after: () => () => undefined,
    write: (bytes) => {
      seen.bytes += bytes;
    },
    handOver: (work) => work(new AbortController().signal),
    send: (message) => {
      seen.said.push(message);
      more();
    },
    log: () => undefined,
    left: new AbortController().signal,
    programs: {
      run: async (argv, { stdin }) => {
        seen.ran.push([argv, stdin]);
        return 0;
      },
      has: () => false,
      write: async (path, text) => void seen.files.set(path, text),
      edit: async (text, ending, work) => {
        await work(`/tmp/text${ending}`);
        return `${text} edited`;
      },
      listen: async () => ({ status: 0, said: "" }),
      hold: async () => undefined,
      ...programs,
    },
  };
  const answered = (effect: Effect) =>
    new Promise<void>((resolve) => {
      more = resolve;
      createOutside(parts).perform(effect);
    });
  return { seen, answered, parts };
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

test("W26: a text is copied as it is, and the message tells how much", async () => {
  const { seen, answered } = outside({ TERM: "xterm-256color" });
  await answered({ do: "copy", text: "# a\n\n| b | c |\n" });
  assert.equal(seen.bytes, `\x1b]52;c;${base64("# a\n\n| b | c |\n")}\x07`);
  assert.deepEqual(seen.said, [{ type: "say", text: "copied 3 lines", error: false }]);
});

test("W26: what is over 74,000 bytes is written to a file, which is named", async () => {
  const { seen, answered } = outside({ TERM: "xterm" });
  const text = "x".repeat(74_001);
  await answered({ do: "copy", text });
  assert.equal(seen.bytes, "");
  assert.equal(seen.files.get("/home/u/.agent/cache/clipboard.txt"), text);
  assert.match(JSON.stringify(seen.said), /written to \/home\/u\/\.agent\/cache\/clipboard\.txt/);
});

test("inside tmux and screen it takes their way through", () => {
  const tmux = clipboardSequence("hi", { TMUX: "/tmp/t", TERM: "tmux-256color" }) ?? "";
  assert.ok(
    tmux.includes(`\x1b]52;c;${base64("hi")}\x07`) &&
      tmux.includes(`\x1bPtmux;\x1b\x1b]52;c;${base64("hi")}\x07\x1b\\`),
  );
  const screen = clipboardSequence("y".repeat(3_000), { STY: "1.pts", TERM: "screen" }) ?? "";
  const inner = screen.replace(/\x1bP([\s\S]*?)\x1b\\/g, "$1");
  assert.equal(inner, `\x1b]52;c;${base64("y".repeat(3_000))}\x07`);
});

test("a clipboard program of this machine is used, but never over ssh", async () => {
  const local = outside({ TERM: "linux", DISPLAY: ":0" }, { has: (name) => name === "xsel" });
  await local.answered({ do: "copy", text: "hi", what: "1 code block" });
  assert.deepEqual(local.seen.ran, [[["xsel", "--clipboard", "--input"], "hi"]]);
  assert.deepEqual(local.seen.said, [{ type: "say", text: "copied 1 code block", error: false }]);
  const remote = outside({ TERM: "linux", DISPLAY: ":0", SSH_TTY: "/dev/pts/1" }, { has: () => true });
  await remote.answered({ do: "copy", text: "hi" });
  assert.equal(remote.seen.ran.length, 0);
  assert.match(JSON.stringify(remote.seen.said), /no clipboard available, written to/);
});

test("success is never claimed when no way worked", async () => {
  const fails = async () => {
    throw new Error("no space left");
  };
  const { seen, answered } = outside(
    { TERM: "linux", DISPLAY: ":0" },
    { has: () => true, run: async () => 1, write: fails },
  );
  await answered({ do: "copy", text: "hi" });
  assert.deepEqual(seen.said, [{ type: "say", text: "not copied: no space left", error: true }]);
});

test("a program that had the terminal tells its end, and what its file holds", async () => {
  const { seen, answered } = outside({});
  await answered({ do: "hand", argv: ["vi"], file: { text: "draft", ending: ".md" }, to: "composer" });
  assert.deepEqual(seen.ran, [[["vi", "/tmp/text.md"], undefined]]);
  assert.deepEqual(seen.said, [{ type: "handed", to: "composer", status: 0, text: "draft edited" }]);
});

test("a program that is not there is named", async () => {
  const { seen, answered } = outside({}, { run: () => Promise.reject(new Error("spawn nosuch ENOENT")) });
  await answered({ do: "hand", argv: ["nosuch"], stdin: "text" });
  assert.deepEqual(seen.said, [{ type: "say", text: "failed to run nosuch: spawn nosuch ENOENT", error: true }]);
});

const GRABS: readonly (readonly [string, Env, number, RegExp])[] = [
  ["a picture is kept for the message", { DISPLAY: ":0" }, 0, /"type":"picture".*"mention":"@image:x"/],
  ["without a picture that is said", { DISPLAY: ":0" }, 1, /no picture in the clipboard/],
  ["over ssh the clipboard is not the user's", { DISPLAY: ":0", SSH_TTY: "/dev/pts/1" }, 0, /paste a file path/],
  ["without a program it is said how else", {}, 0, /wl-paste, xclip, pngpaste/],
];

for (const [what, env, status, said] of GRABS)
  test(`the clipboard's picture: ${what}`, async () => {
    const ran: (readonly string[])[] = [];
    const { seen, parts } = outside(env, {
      has: (name) => name === "xclip",
      run: async (argv) => {
        ran.push(argv);
        return status;
      },
    });
    const call = async (_method: string, params: object) => ({
      name: "clipboard.png",
      bytes: 3,
      mention: "@image:x",
      ...params,
    });
    await grabPicture({ ...parts, client: { call } as unknown as Client }); // only this is called
    assert.match(JSON.stringify(seen.said), said);
    if (ran.length > 0) assert.deepEqual(ran[0]?.slice(3, 5), ["/tmp/text.png", "xclip"]);
  });

test("what is kept is written once, after the last change: a word as that word, anything else as it is", () => {
  const calls: object[] = [];
  const due: (() => void)[] = [];
  const { parts } = outside({});
  const client = { call: async (_method: string, params: object) => void calls.push(params) } as unknown as Client; // only this is called
  const after = (_ms: number, fn: () => void) => {
    due.push(fn);
    return () => void due.splice(due.indexOf(fn), 1);
  };
  const { perform } = createOutside({ ...parts, client, after });
  perform({ do: "keep", key: "display.theme", value: "dark" });
  perform({ do: "keep", key: "display.theme", value: "light" });
  perform({ do: "keep", key: "display.layout.wide", value: { chat: 60 } });
  for (const run of [...due]) run();
  assert.deepEqual(calls, [
    { key: "display.theme", value: "light", string: true },
    { key: "display.layout.wide", value: '{"chat":60}' },
  ]);
});

const WAYS: readonly (readonly [string, Env, string])[] = [
  ["kitty", { TERM: "xterm-kitty" }, "\x1b]9;agent: x, y is done\x07"],
  ["foot", { TERM: "foot" }, "\x1b]777;notify;agent;agent: x, y is done\x07"],
  ["an unknown terminal", { TERM: "xterm-256color" }, "\x07"],
];
for (const [name, env, bytes] of WAYS)
  test(`someone who looks elsewhere is told in the way of ${name}`, () =>
    assert.equal(notification("agent: x; y is done", env), bytes));
