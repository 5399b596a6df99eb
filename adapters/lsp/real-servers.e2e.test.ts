import assert from "node:assert/strict";
import { resolve } from "node:path";
import { type TestContext, test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { type LanguageWorld, languageWorld } from "../../fixtures/servers/language/world.js";
import { systemSpawner } from "../../lib/base/process/spawn-system.js";

const bin = (name: string) => resolve("node_modules/.bin", name);
const never = new AbortController().signal;

/** The servers of the development packages; shellcheck, which bash-language-server calls, is played. */
function real(t: TestContext): LanguageWorld {
  const tsserver = { path: resolve("node_modules/typescript5/lib/tsserver.js") };
  const world = languageWorld(t, {
    config: {
      "lsp.servers": {
        typescript: { command: [bin("typescript-language-server"), "--stdio"], initialization_options: { tsserver } },
        pyright: { command: [bin("pyright-langserver"), "--stdio"] },
        "bash-language-server": {
          command: [bin("bash-language-server"), "start"],
          env: { SHELLCHECK_PATH: resolve("fixtures/servers/language/shellcheck.mjs") },
        },
      },
      "lsp.wait_timeout": 60, // the machine may be busy
    },
  });
  world.put("package.json", "{}\n");
  world.put("tsconfig.json", '{ "compilerOptions": { "strict": true, "noEmit": true } }\n');
  return world;
}

const errors = (told: string | undefined) => told?.split("\n").filter((line) => line.startsWith("ERROR"));

interface Case {
  readonly server: string;
  readonly file: string;
  /** Has an error of its own. */
  readonly old: string;
  /** One more, and the old one stands elsewhere. */
  readonly worse: string;
  readonly error: string;
  /** Nothing of the new error, something else changed. */
  readonly better: string;
}

const cases: readonly Case[] = [
  {
    server: "typescript",
    file: "src/sum.ts",
    old: 'export const wrong: number = "old";\nexport const sum = (a: number, b: number): number => a + b;\n',
    worse:
      '// moved down\n\nexport const wrong: number = "old";\nexport const sum = (a: number, b: number): string => a + b;\n',
    error: "ERROR [4:54] Type 'number' is not assignable to type 'string'. [2322] (typescript)",
    better:
      '// moved down\nexport const wrong: number = "old";\nexport const sum = (a: number, b: number): number => b + a;\n',
  },
  {
    server: "pyright",
    file: "sum.py",
    old: 'wrong: int = "old"\n\ndef total(a: int, b: int) -> int:\n    return a + b\n',
    worse: '# moved down\nwrong: int = "old"\n\ndef total(a: int, b: int) -> str:\n    return a + b\n',
    error:
      'ERROR [5:12] Type "int" is not assignable to return type "str" "int" is not assignable to "str" [reportReturnType] (Pyright)',
    better: 'wrong: int = "old"\n\ndef total(a: int, b: int) -> int:\n    return b + a\n',
  },
  {
    server: "bash-language-server",
    file: "run.sh",
    old: "#!/bin/bash\nehco old\n",
    worse: "#!/bin/bash\n# moved down\nehco old\ntrue\n  ehco new\n",
    error: "ERROR [5:3] ehco is no command. [SC9999] (shellcheck)",
    better: "#!/bin/bash\nehco old\ntrue\n",
  },
];

test("real servers tell exactly the type error that an edit introduced, and end with the process", async (t) => {
  proves(t, "editing.diagnostics");
  const world = real(t);
  await Promise.all(
    cases.map(async ({ server, file, old, worse, error, better }) => {
      world.put(file, old);
      assert.deepEqual(errors(await world.edit(file, worse)), [error], server);
      assert.equal(await world.edit(file, better), undefined, `${server}: nothing new`);
      assert.deepEqual(errors(await world.edit(file, worse)), [error], `${server}: the same error again`);
    }),
  );
  // A clean file that stays clean is no reason to wait, also where the server then pushes nothing.
  await world.edit("src/clean.ts", "export const a = 1;\n");
  assert.equal(await world.edit("src/clean.ts", "export const a = 2;\n"), undefined);
  assert.match(
    String(await world.edit("src/clean.ts", 'import { sum } from "./sum.js";\nexport const a: boolean = sum(1, 2);\n')),
    /\[2322\]/,
  );
  const { clients, broken } = await world.servers.status({ env: world.env, signal: never });
  assert.deepEqual([clients.length, broken], [3, []]);
  await world.servers.stop();
  for (const { pid } of clients) assert.deepEqual(systemSpawner.members(pid), []);
});

test("clangd tells the error that an edit introduced, where it is installed", async (t) => {
  const world = real(t);
  const { state } = await world.servers.which("clangd", { env: world.env, signal: never });
  if (state !== "installed") return t.skip("clangd is not on the PATH");
  world.put("a.c", "int main(void) { return 0; }\n");
  assert.match(
    String(await world.edit("a.c", "int main(void) { int *x = 1.5; return y; }\n")),
    /undeclared identifier 'y'/,
  );
});
