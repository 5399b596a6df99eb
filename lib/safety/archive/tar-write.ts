import { assert } from "../../base/errors.js";
import { checkName } from "./tar-name.js";
import { checksum } from "./tar-read.js";

const BLOCK = 512;

/** Writes plain files one after the other. */
export interface TarWriter {
  /** @param size exactly what `bytes` gives together; a difference is a defect of the caller, or of a file that changed meanwhile */
  add(name: string, size: number, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  end(): Promise<void>;
}

/** @param at Seconds, the time of every member. */
export function tarWriter(write: (bytes: Uint8Array) => Promise<void>, at: number): TarWriter {
  return {
    add: async (name, size, bytes) => {
      assert(checkName(name, false) === name, "an archive is written with names that its reader takes");
      if (!/^[\u0021-\u007e ]{1,100}$/.test(name)) await write(nameRecord(name, at));
      await write(header(shortName(name), size, at, "0"));
      let written = 0;
      for await (const piece of bytes) {
        written += piece.length;
        await write(piece);
      }
      assert(written === size, `${name} has as many bytes as were announced`);
      await write(Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK));
    },
    end: () => write(Buffer.alloc(2 * BLOCK)),
  };
}

const shortName = (name: string): string => name.replace(/[^\u0021-\u007e ]/g, "_").slice(0, 100);

function header(name: string, size: number, at: number, type: "0" | "x"): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, from: number, width: number) =>
    block.write(`${value.toString(8).padStart(width - 1, "0")}\0`, from, "latin1");
  block.write(name, 0, 100, "latin1");
  octal(0o600, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(at, 136, 12);
  block.write(type, 156, "latin1");
  block.write("ustar\0", 257, "latin1");
  block.write("00", 263, "latin1");
  block.write(`${checksum(block).toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}

/** A record with the true name before a member whose name the header cannot hold. Its own length counts. */
function nameRecord(name: string, at: number): Buffer {
  const rest = Buffer.from(` path=${name}\n`);
  let length = rest.length + 1;
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
  const record = Buffer.concat([Buffer.from(String(length)), rest]);
  return Buffer.concat([
    header("name", record.length, at, "x"),
    record,
    Buffer.alloc((BLOCK - (record.length % BLOCK)) % BLOCK),
  ]);
}
