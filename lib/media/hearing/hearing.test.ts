import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { audioCommand } from "../../../adapters/media/command.js";
import { hearingCommand } from "../../../adapters/media/hearing/command.js";
import { audioWorld } from "../../../fixtures/sim/audio-world.js";
import { settingsOf } from "../../../fixtures/sim/settings.js";
import { silentLog } from "../../base/log/log.js";
import type { HearingProvider } from "../../contracts/media/hearing.js";
import { settingsTranscriber } from "./hearing.js";

const never = new AbortController().signal;

const hearer = (name: string, more: Partial<HearingProvider> = {}): HearingProvider => ({
  name,
  billed: false,
  maxBytes: 10,
  model: () => "base",
  lacks: () => undefined,
  hear: async () => ({ ok: true, text: name }),
  ...more,
});

async function world(t: TestContext, settings: Record<string, unknown>, builtIn: readonly HearingProvider[]) {
  const around = await audioWorld(t);
  const path = join(around.scratch, "said it.wav");
  writeFileSync(path, "RIFF");
  const config = {
    ...settingsOf(settings),
    source: ({ key }: { key: string }) => (key in settings ? "file" : "default"),
  } as const;
  const transcriber = () =>
    settingsTranscriber({
      config,
      log: silentLog,
      builtIn,
      look: () => around,
      command: (name, given) => {
        const command = audioCommand("stt", name, given);
        return typeof command === "string" ? command : hearingCommand(command);
      },
    });
  return { path, transcriber, hear: async () => transcriber()?.transcribe(path, never) };
}

test("without stt.provider only what costs nothing transcribes, and nothing where nothing is installed", async (t) => {
  const away = hearer("local", { lacks: () => "not installed" });
  const none = await world(t, {}, [away, hearer("openai", { billed: true })]);
  assert.equal(none.transcriber(), undefined);
  const own = { "stt.providers": { mine: { command: "printf 'words of %s' {input_path}" } } };
  const mine = await world(t, own, [away, hearer("openai", { billed: true })]);
  assert.equal(await mine.hear(), `words of ${mine.path}`);
  assert.equal(await (await world(t, {}, [hearer("local")])).hear(), "local");
});

test("a provider that is named and cannot be used is reported with the recording", async (t) => {
  const builtIn = [
    hearer("local"),
    hearer("openai", { billed: true, lacks: () => "no API key: set VENDOR_API_KEY in .env" }),
  ];
  const keyless = await world(t, { "stt.provider": "openai" }, builtIn);
  await assert.rejects(keyless.hear(), /openai: no API key: set VENDOR_API_KEY/);
  await assert.rejects(
    (await world(t, { "stt.provider": "nope" }, builtIn)).hear(),
    /unknown provider "nope".*local, openai/,
  );
  const failing = hearer("local", {
    hear: async () => ({ ok: false, type: "timeout", why: "no answer within 300 s" }),
  });
  await assert.rejects(
    (await world(t, { "stt.provider": "local" }, [failing])).hear(),
    /local: no answer within 300 s/,
  );
});

test("a recording that is too large is refused before anything is sent", async (t) => {
  const sent: string[] = [];
  const hear: HearingProvider["hear"] = async (path) => {
    sent.push(path);
    return { ok: true, text: "" };
  };
  const small = hearer("openai", { billed: true, maxBytes: 3, hear });
  await assert.rejects((await world(t, { "stt.provider": "openai" }, [small])).hear(), /too large for openai/);
  assert.deepEqual(sent, []);
});

test("a command writes its transcript to a file or prints it; one that fails says so", async (t) => {
  const run = async (command: string) =>
    (await world(t, { "stt.provider": "c", "stt.providers": { c: { command, language: "de" } } }, [])).hear();
  assert.equal(await run("echo ' from file ' > {output_path}; echo noise"), "from file");
  assert.equal(await run('echo "printed {language}"'), "printed de");
  await assert.rejects(run("echo broken >&2; exit 2"), /c: the command of c failed \(exit 2\): broken/);
});
