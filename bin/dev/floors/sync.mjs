// Floor of durable writes: 1 KB appended and synced, one after the other. `sync.mjs FILE COUNT`; prints writes per second.
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";

const [file, count] = process.argv.slice(2);
const fd = openSync(file, "a", 0o600);
const bytes = Buffer.alloc(1024, 120);
const began = performance.now();
for (let at = 0; at < Number(count); at++) {
  writeSync(fd, bytes);
  fdatasyncSync(fd);
}
process.stdout.write(`${Number(count) / ((performance.now() - began) / 1000)}\n`);
closeSync(fd);
