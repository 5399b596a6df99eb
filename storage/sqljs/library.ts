import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SqlJsStatic } from "sql.js";

/** The library with the version of its SQLite. */
export interface Library {
  readonly sql: SqlJsStatic;
  readonly sqlite: string;
}

let loading: Promise<Library> | undefined;

/** Load sql.js once per thread. */
export function loadLibrary(): Promise<Library> {
  loading ??= load();
  return loading;
}

async function load(): Promise<Library> {
  const { default: initSqlJs } = await import("sql.js");
  const path = wasmPath();
  const sql = await keepingByteOrderMarks(() => initSqlJs({ locateFile: () => path }));
  let sqlite: string | undefined; // asked for by writers only; each function of the library costs time at its first call
  return {
    sql,
    get sqlite() {
      sqlite ??= versionOf(sql);
      return sqlite;
    },
  };
}

function versionOf(sql: SqlJsStatic): string {
  const db = new sql.Database();
  try {
    return String(db.exec("SELECT sqlite_version()")[0]?.values[0]?.[0]);
  } finally {
    db.close();
  }
}

/**
 * The library reads texts with a `TextDecoder` that it makes when it starts, and a plain one drops U+FEFF at the beginning of a text. This
 * gives it one that keeps every character.
 */
function keepingByteOrderMarks<T>(start: () => Promise<T>): Promise<T> {
  const plain = globalThis.TextDecoder;
  globalThis.TextDecoder = class extends plain {
    constructor(label?: string, options?: ConstructorParameters<typeof plain>[1]) {
      super(label, { ...options, ignoreBOM: true });
    }
  };
  try {
    return start();
  } finally {
    globalThis.TextDecoder = plain;
  }
}

/** Beside the running program (or above it, for tests), else where the package lies. */
function wasmPath(): string {
  let dir = dirname(fileURLToPath(import.meta.url));
  for (let level = 0; level < 4; level++) {
    const path = join(dir, "sql-wasm.wasm");
    if (existsSync(path)) return path;
    dir = dirname(dir);
  }
  return createRequire(import.meta.url).resolve("sql.js/dist/sql-wasm.wasm");
}
