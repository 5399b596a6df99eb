import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { HEARING_KEY, startHearing } from "../../../fixtures/servers/media/hearing.js";
import { chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import { simMessage } from "../../../fixtures/sim/platform.js";
import { msgtChat } from "../../../fixtures/worlds/msgt-chat-world.js";
import { programOnPath } from "../../base/process/program-path.js";
import type { InboundMedia, PlatformTag } from "../../contracts/board/platform-tag.js";

const missing = ["espeak-ng", "ffmpeg"].filter((name) => programOnPath(name, process.env["PATH"]) === undefined);
const skip = missing.length > 0 ? `${missing.join(", ")} not installed` : false;

const SPEECH = `tts:
  provider: espeak
  providers:
    espeak:
      type: command
      command: espeak-ng -w {output_path} -f {text_path}
      output_format: wav
`;

const VOICE: InboundMedia = { kind: "voice", mime: "audio/ogg", name: "v.ogg", size: null, ref: "voice" };

/** A real voice message: Ogg with Opus. */
function spokenOgg(t: TestContext, words: string): Buffer {
  const dir = mkdtempSync(join(tmpdir(), "agent-spoken-"));
  t.after(() => rmSync(dir, { recursive: true }));
  execFileSync("espeak-ng", ["-w", join(dir, "said.wav"), words]);
  const opus = ["-c:a", "libopus", "-b:a", "32k", join(dir, "said.ogg")];
  execFileSync("ffmpeg", ["-v", "error", "-nostdin", "-i", join(dir, "said.wav"), ...opus]);
  return readFileSync(join(dir, "said.ogg"));
}

test("after /voice tts an answer is sent as text and then as a real voice message of the platform", {
  skip,
}, async (t) => {
  const made = await msgtChat(t, {
    script: [{ text: "The **build** is green." }, { text: "[SILENT]" }, { text: "Bye." }],
    config: SPEECH,
    env: { MSGT_HOME_CHANNEL: "42" },
  });
  made.say("/voice tts");
  assert.match((await made.shown(1))[0]?.text ?? "", /^Voice on: every answer is also spoken/);
  made.say("how is it?");
  await made.shown(3);
  made.say("quiet?");
  made.say("/voice off");
  await made.shown(4);
  made.say("bye");
  await made.shown(5);
  const sent = made.server.calls.filter(({ method }) => /^send(?:Message|Voice|Audio|Document)$/.test(method));
  assert.deepEqual(
    sent.map(({ method }) => method),
    ["sendMessage", "sendMessage", "sendVoice", "sendMessage", "sendMessage"],
  );
  const bytes = sent[2]?.file?.bytes;
  assert.ok(bytes?.subarray(0, 4).toString() === "OggS" && bytes.subarray(0, 64).includes("OpusHead"));
});

test("with /voice on only answers to voice messages are spoken, which are transcribed over the public wire", {
  skip,
}, async (t) => {
  const hearing = await startHearing(t, "good morning");
  const ogg = spokenOgg(t, "good morning");
  const fetchMedia = async () =>
    (async function* () {
      yield ogg;
    })();
  const made = await chatGateway(t, {
    script: [{ text: "Typed." }, { text: "Spoken." }],
    config: `${SPEECH}stt:\n  provider: openai\n  openai:\n    base_url: ${hearing.url}\n`,
    env: { OPENAI_API_KEY: HEARING_KEY },
    platform: { fetchMedia },
  });
  await made.say("1", "/voice on");
  await made.shown(1);
  await made.say("2", "typed");
  await made.shown(2);
  await made.deliver({ ...simMessage("msgt", "3", ""), media: [VOICE] });
  const shown = await made.shown(5);
  assert.deepEqual(
    shown.slice(1).map(({ text, file }) => file?.kind ?? text),
    ["Typed.", '🎙️ "good morning"', "Spoken.", "voice"],
  );
  assert.ok(hearing.requests[0]?.bytes.includes(ogg), "the recording is what the service got");
  const { messages = [] } = made.owner.model.chats().at(-1)?.body ?? {};
  assert.equal(
    messages.findLast((one) => one.role === "user")?.content,
    '[The user said in a recording]: "good morning"',
  );
});

const FORMS: readonly (readonly [tag: PlatformTag, kind: string, ending: string])[] = [
  ["msgl", "audio", "m4a"],
  ["msgx", "audio", "mp3"],
];

for (const [tag, kind, ending] of FORMS)
  test(`a spoken answer on ${tag} is a file that it plays: ${ending}`, { skip }, async (t) => {
    const made = await chatGateway(t, { script: [{ text: "Good." }], config: SPEECH, tag });
    await made.say("1", "/voice tts");
    await made.shown(1);
    await made.say("2", "well?");
    const [, , voice] = await made.shown(3);
    assert.deepEqual([voice?.file?.kind, voice?.file?.name.split(".").at(-1)], [kind, ending]);
  });

test("the mode of a chat survives a restart; a voice that fails is reported, and an answer with a recording is not spoken", async (t) => {
  const made = await chatGateway(t, {
    script: [{ text: "One." }, { text: "Listen: MEDIA:/nowhere/a.mp3" }],
    config: SPEECH.replace(/espeak-ng.*/, "cat {text_path} >&2; false"),
  });
  await made.say("1", "/voice tts");
  await made.shown(1);
  await made.restart();
  await made.say("2", "one?");
  const shown = await made.shown(3);
  assert.equal(shown[1]?.text, "One.");
  assert.match(shown[2]?.text ?? "", /^🔇 The answer was not spoken: .*espeak failed.*One\./);
  await made.say("3", "two?");
  await made.shown(4);
  await made.say("4", "/voice status");
  assert.match((await made.shown(5))[4]?.text ?? "", /^Voice on: every answer is also spoken\./);
});
