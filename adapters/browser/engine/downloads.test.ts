import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Download } from "playwright-core";
import { systemClock } from "../../../lib/base/time/clock.js";
import { createDownloads, DOWNLOAD_BYTES } from "./downloads.js";

/** A download of the browser that has come whole at once, before its progress could be told. */
const whole = (bytes: number): Download =>
  ({
    suggestedFilename: () => "fast.bin",
    url: () => "http://a.test/fast.bin",
    failure: async () => null,
    saveAs: async (path: string) => {
      writeFileSync(path, "");
      truncateSync(path, bytes);
    },
    delete: async () => undefined,
  }) as unknown as Download; // what downloads are asked here

for (const [what, bytes, kept] of [
  ["as large as allowed is kept", DOWNLOAD_BYTES, true],
  ["larger than allowed is refused and removed", DOWNLOAD_BYTES + 1, false],
] as const)
  test(`a download that comes whole before the browser tells its progress and is ${what}`, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), "downloads-"));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const downloads = createDownloads({ clock: systemClock, dir, tooLarge: new Set() });
    downloads.begin(whole(bytes));
    const [news] = await downloads.taken(60_000);
    const path = join(dir, "downloads", "fast.bin");
    const expected = kept
      ? { name: "fast.bin", path, bytes }
      : { name: "fast.bin", error: "refused: it is larger than 100 MB" };
    assert.deepEqual([news, existsSync(path)], [expected, kept]);
  });
