import { parentPort, workerData } from "node:worker_threads";
import { assert, toWireError } from "../../lib/base/errors.js";
import { realDisk } from "../../lib/base/fs/disk.js";
import { boardMigrations } from "../schema/board.js";
import { STATE_MIGRATIONS } from "../schema/state.js";
import type { Compared } from "./compare.js";
import { deepCheck } from "./health.js";

// A thread for one comparison: it reads whole stores into memory, which must neither hold up the owner nor stay.
const port = parentPort;
assert(port, "this file runs as a thread");
const { kind, ...store } = workerData as Compared; // `compareCopies` gives it
const spec = { ...store, kind, migrations: kind === "board" ? boardMigrations : STATE_MIGRATIONS };

async function run(): Promise<void> {
  try {
    const found = await deepCheck(spec, realDisk);
    // A checkpoint that is made meanwhile moves the files under the look: what is truly wrong is found twice.
    port?.postMessage({ findings: found.length === 0 ? [] : await deepCheck(spec, realDisk) });
  } catch (error) {
    port?.postMessage({ error: toWireError(error) });
  }
}

// The thread ends when it is done; nothing waits for it here.
void run();
