import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { noChromium, startChromium, type TestChromium } from "../../../fixtures/browser/test-session.js";
import { ourDriver, type ToldCall } from "../../../fixtures/pages/browser/our-driver.js";
import { type PageServer, servePages } from "../../../fixtures/pages/browser/server.js";
import { TASKS } from "../../../fixtures/pages/browser/tasks.js";
import { browserBench } from "../../../fixtures/pages/browser/tool-bench.js";

/** Bytes of one answer, its label included. */
const MOST = 2_048;
/** Pages wait more than they work. */
const AT_ONCE = 4;

describe("tasks of agents in pages", { skip: noChromium, concurrency: AT_ONCE }, () => {
  let chromium: TestChromium;
  let pages: PageServer;

  before(async () => {
    [chromium, pages] = await Promise.all([startChromium(), servePages()]);
  });
  after(async () => {
    await chromium.close();
    await pages.close();
  });

  for (const task of TASKS) {
    test(`an agent solves the task of the page '${task.page}', and no answer has more than 2 KB`, async (t) => {
      const session = await chromium.session(t);
      const { ctx, project } = browserBench(t, session);
      writeFileSync(join(project, "report.txt"), "numbers");
      const told: ToldCall[] = [];
      await ourDriver(ctx, project, told).work(task, pages.url(task.page));
      await pages.solved(task.page, () => told.map(({ tool, text }) => `${tool}: ${text}`).join("\n"));
      for (const { tool, text } of told) {
        assert.ok(Buffer.byteLength(text) <= MOST, `${tool} answers ${Buffer.byteLength(text)} bytes`);
        assert.ok(text.isWellFormed());
        assert.equal(text.match(/<\s*\/?\s*untrusted_tool_result/gi)?.length ?? 2, 2, text);
      }
    });
  }
});
