/** Packages and their exact versions. A new one is added here with its reason; anything else in package.json fails the check. */
export const PACKAGES: Readonly<
  Record<"dependencies" | "optionalDependencies" | "devDependencies", Readonly<Record<string, string>>>
> = {
  dependencies: {
    "@agentclientprotocol/sdk": "2.4.0", // `agent acp` and agents of other makers as workers: the protocol's own library; loaded when one is used
    "@mozilla/readability": "0.6.0", // the article of a web page; made for its field, no dependencies
    "@modelcontextprotocol/client": "2.4.0", // MCP servers: the protocol's own client, both eras; loaded when the first server is used
    "@modelcontextprotocol/server": "2.4.0", // `agent mcp serve`: the protocol's own server
    chokidar: "5.0.0", // directories whose entries count, such as profiles; no install script, no native code since version 4
    diff: "9.0.0", // what a patch would change
    "eventsource-parser": "3.1.1", // model streams; 4.x is not for Node 20
    "highlight.js": "11.12.0", // colours of finished code blocks, in a thread: made for its field, no dependencies, pure JavaScript; its core and single languages alone
    linkedom: "0.18.12", // the document of a web page without a browser; 0.18.15 names a package that does not exist
    marked: "18.2.1", // the grammar of Markdown, on the screen and on the page; its lexer alone, no HTML is taken from it
    "neo-blessed": "0.2.0", // the terminal
    "node-sqlite3-wasm": "0.8.60", // sessions and their search, on disk
    preact: "11.2.0", // the dashboard's page: 5 KB, typed JSX, no build tool beside esbuild
    "smol-toml": "1.9.1", // syntax of TOML files that are written: whole TOML 1.1 with line and column, linear, bounded depth
    "sql.js": "1.16.0", // boards and small state; behaviour changed between minor versions
    turndown: "7.2.5", // readable HTML as Markdown
    undici: "7.30.2", // the network of processes that stay, its agent alone; 8.x is not for Node 20
    unpdf: "1.7.0", // text of PDF files: a build of pdf.js without native code; 1.8.x was not tried
    ws: "8.23.0", // long clients of the owner
    yaml: "2.9.1", // configuration, comments kept
    yargs: "18.2.0", // command line of the full client
    zod: "4.6.7", // every boundary
  },
  // Each is loaded when what it is for is used first: a platform is connected, a page is opened, a picture is too large.
  optionalDependencies: {
    "@google-cloud/pubsub": "5.3.1", // MSGG; later ones need a newer Node
    "@larksuiteoapi/node-sdk": "1.74.0", // MSGF
    "@line/bot-sdk": "10.8.0", // MSGL; later ones need a newer Node
    "discord.js": "14.28.1", // MSGD
    "google-auth-library": "10.9.1", // MSGG
    grammy: "1.46.0", // MSGT
    jose: "6.2.17", // MSGW, tokens of its callers
    "playwright-core": "1.65.1", // browser tools: drives an installed Chromium; downloads nothing
    sharp: "0.35.5", // pictures that are too large for models or terminals; its binaries are packages of their own, nothing is downloaded
  },
  devDependencies: {
    "@biomejs/biome": "2.5.15", // later platform packages are not there for all platforms
    "@modelcontextprotocol/conformance": "0.1.16", // the protocol's public scenarios for clients; package.json holds one of its parts at a version for Node 20
    "@modelcontextprotocol/server-everything": "2026.8.31", // real MCP servers of tests
    "@modelcontextprotocol/server-filesystem": "2026.8.31", // real MCP servers of tests
    "@grpc/grpc-js": "1.14.7", // the fake server of MSGG; the version that its client brings along
    "@playwright/mcp": "0.0.83", // what the browser tools are measured against
    "@types/blessed": "0.1.27",
    "@types/node": "20.19.43",
    "@types/sql.js": "1.4.11",
    "@types/turndown": "5.0.6",
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
    pyright: "1.1.414", // real language servers of tests
    typescript: "7.0.2", // only checks
    "typescript-language-server": "5.3.0", // real language servers of tests; 6.x is not for Node 20
    typescript5: "npm:typescript@5.9.3", // what that server works with
  },
};

/**
 * Packages that were tried against the corpora of what they would replace, and are not taken:
 *
 * - jsonrepair for arguments of tool calls and answers of models: it closes a string that was cut, so that half a command or half a plan
 *   would run, reads any word as a value, and overflows the stack on deep brackets.
 * - vscode-jsonrpc for language servers: no bound for header or body (80 KB of header in small pieces hold the program for 19 s), and an
 *   odd refusal leaves its request waiting.
 * - oauth4webapi for logins: it refuses what portals send (no `token_type`, an error as an object, seconds as text, status 429), and two
 *   of the four flows follow no standard.
 * - @fastify/busboy for forms: it cuts a long head and drops a part without a name, and says neither; names are not decoded as browsers
 *   write them.
 * - tar for archives of boards: its strict mode passes 33 of the 41 hostile archives, some in a way that no guard around it sees: unknown
 *   records, sizes that are not numbers, a missing end.
 * - fflate for office documents: a member that tells a smaller size than it has comes out cut and unsaid, it takes twice the time of the
 *   zlib of Node, and 25 lines are saved.
 */
