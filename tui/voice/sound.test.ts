import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../model/messages.js";
import type { Programs } from "../outside/programs.js";
import { createSound, type SoundParts } from "./sound.js";

const LIMITS = { maxSeconds: 120, silenceThreshold: 200, silenceSeconds: 3 };
const SECOND = 32_000; // bytes

/** The sound of a terminal with programs of the test. `until` resolves with the messages once one of them fits. */
function setup(programs: Partial<Programs>, more: Partial<SoundParts> = {}) {
  const said: Message[] = [];
  let look: () => void = () => undefined;
  const calls: (readonly [string, object])[] = [];
  const sound = createSound({
    programs: {
      has: () => true,
      run: async () => 0,
      listen: async () => ({ status: 0, said: "" }),
      hold: async (_bytes, ending, work) => work(`/tmp/text${ending}`),
      ...programs,
    },
    client: {
      call: async <T>(method: string, params: object) => {
        calls.push([method, params]);
        return (method === "voice.speak" ? { path: "/a.wav" } : { text: " good morning " }) as T; // what these methods answer
      },
    },
    env: {},
    left: new AbortController().signal,
    send: (message) => {
      said.push(message);
      look();
    },
    failed: (what) => (error) => void said.push({ type: "say", text: `${what}: ${String(error)}`, error: true }),
    ...more,
  });
  const ended = () =>
    new Promise<readonly Message[]>((resolve) => {
      look = () => {
        const last = said.at(-1);
        if (last?.type === "voice" && last.now.doing === "idle") resolve(said);
      };
    });
  return { sound, calls, said, ended };
}

const texts = (messages: readonly Message[]): string =>
  messages.map((one) => (one.type === "say" ? one.text : "")).join("\n");
const loud = (seconds: number): Buffer => Buffer.alloc(seconds * SECOND, 0x10);

test("what is recorded is transcribed, and its words come back", async () => {
  const { sound, calls, ended } = setup({
    listen: async (_argv, { on }) => {
      on(loud(1));
      return { status: 0, said: "" };
    },
  });
  const done = ended();
  sound.perform({ do: "record", limits: LIMITS });
  assert.ok((await done).some((one) => one.type === "heard" && one.text === "good morning"));
  assert.deepEqual(calls, [["voice.transcribe", { path: "/tmp/text.wav" }]]);
});

const REFUSALS: readonly (readonly [what: string, programs: Partial<Programs>, env: object, said: RegExp])[] = [
  [
    "without a microphone the recorder's own words are shown",
    { listen: async () => ({ status: 1, said: "ALSA lib x\narecord: main:830: audio open error: No such file\n" }) },
    {},
    /^\w+ cannot record: arecord: main:830: audio open error: No such file; check that a microphone is connected/m,
  ],
  ["without a recorder it says what to install", { has: () => false }, {}, /no recorder found: install sox/],
  ["over SSH the microphone is elsewhere", {}, { SSH_CONNECTION: "1 2 3 4" }, /cannot record over SSH/],
  [
    "silence is not sent anywhere",
    {
      listen: async (_argv, { on }) => {
        on(Buffer.alloc(20 * SECOND));
        return { status: 143, said: "" };
      },
    },
    {},
    /no speech heard/,
  ],
];

for (const [what, programs, env, wanted] of REFUSALS)
  test(`${what}, and nothing is transcribed`, async () => {
    const { sound, calls, ended } = setup(programs, { env: { ...env } });
    const done = ended();
    sound.perform({ do: "record", limits: LIMITS });
    assert.match(texts(await done), wanted);
    assert.deepEqual(calls, []);
  });

test("a recording that is discarded ends its recorder and is not transcribed", async () => {
  let stopped = false;
  const { sound, calls, ended } = setup({
    listen: (_argv, { on, signal }) =>
      new Promise((resolve) => {
        on(loud(1));
        signal.addEventListener("abort", () => {
          stopped = true;
          resolve({ status: 143, said: "" });
        });
      }),
  });
  const done = ended();
  sound.perform({ do: "record", limits: LIMITS });
  sound.perform({ do: "hush" });
  const said = await done;
  assert.ok(stopped && !said.some(({ type }) => type === "heard"));
  assert.deepEqual(calls, []);
});

test("an answer is played by the first player found, and its failure says what to check", async () => {
  const ran: (readonly string[])[] = [];
  const { sound, ended } = setup({
    has: (name) => name === "mpv",
    run: async (argv) => {
      ran.push(argv);
      return 2;
    },
  });
  const done = ended();
  sound.perform({ do: "speak", text: "Done." });
  assert.match(texts(await done), /mpv cannot play the answer \(exit 2\); check the audio output/);
  assert.deepEqual([ran[0]?.[0], ran[0]?.at(-1)], ["mpv", "/a.wav"]);
});

test("leaving the screen ends what is played", async () => {
  const left = new AbortController();
  let begun: () => void = () => undefined;
  const playing = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const { sound, ended } = setup(
    {
      run: (_argv, { signal }) =>
        new Promise((resolve) => {
          signal?.addEventListener("abort", () => resolve(143));
          begun();
        }),
    },
    { left: left.signal },
  );
  const done = ended();
  sound.perform({ do: "speak", text: "Done." });
  await playing;
  left.abort();
  assert.equal(texts(await done).trim(), "");
});
