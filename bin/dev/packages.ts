/** Packages and their exact versions. A new one is added here with its reason; anything else in package.json fails the check. */
export const PACKAGES: Readonly<
  Record<"dependencies" | "optionalDependencies" | "devDependencies", Readonly<Record<string, string>>>
> = {
  dependencies: {
    diff: "9.0.0", // what a patch would change
    "eventsource-parser": "3.1.1", // model streams; 4.x is not for Node 20
    "highlight.js": "11.12.0", // colours of finished code blocks, in a thread: made for its field, no dependencies, pure JavaScript; its core and single languages alone
    marked: "18.2.1", // Markdown of the dashboard's page; its lexer alone, no HTML is taken from it
    "neo-blessed": "0.2.0", // the terminal
    "node-sqlite3-wasm": "0.8.60", // sessions and their search, on disk
    preact: "11.2.0", // the dashboard's page: 5 KB, typed JSX, no build tool beside esbuild
    "sql.js": "1.16.0", // boards and small state; behaviour changed between minor versions
    ws: "8.23.0", // long clients of the owner
    yaml: "2.9.1", // configuration, comments kept
    yargs: "18.2.0", // command line of the full client
    zod: "4.6.7", // every boundary
  },
  // Each is loaded by the adapter of one platform alone, when that platform is connected.
  optionalDependencies: {
    "@google-cloud/pubsub": "5.3.1", // MSGG; later ones need a newer Node
    "@larksuiteoapi/node-sdk": "1.74.0", // MSGF
    "@line/bot-sdk": "10.8.0", // MSGL; later ones need a newer Node
    "discord.js": "14.28.1", // MSGD
    "google-auth-library": "10.9.1", // MSGG
    grammy: "1.46.0", // MSGT
    jose: "6.2.17", // MSGW, tokens of its callers
  },
  devDependencies: {
    "@biomejs/biome": "2.5.15", // later platform packages are not there for all platforms
    "@grpc/grpc-js": "1.14.7", // the fake server of MSGG; the version that its client brings along
    "@types/blessed": "0.1.27",
    "@types/node": "20.19.43",
    "@types/sql.js": "1.4.11",
    "@types/ws": "8.18.2",
    "@types/yargs": "17.0.35",
    "@xterm/addon-unicode11": "0.9.0", // widths in the headless terminal
    "@xterm/headless": "6.0.0", // screens in tests
    acorn: "8.19.0", // syntax trees of the checks
    "acorn-walk": "8.3.5",
    "axe-core": "4.14.1", // accessibility of the dashboard's page
    "bash-language-server": "5.8.1", // real language servers of tests
    esbuild: "0.28.2",
    "fast-check": "4.10.2", // extra properties
    openai: "6.49.0", // a client as the proxy's users have it; 7.x is not for Node 20
    "playwright-core": "1.65.1", // drives an installed Chromium; downloads nothing
    pyright: "1.1.414", // real language servers of tests
    typescript: "7.0.2", // only checks
    "typescript-language-server": "5.3.0", // real language servers of tests; 6.x is not for Node 20
    typescript5: "npm:typescript@5.9.3", // what that server works with
  },
};
