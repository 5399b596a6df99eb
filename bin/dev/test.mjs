import { compile, load } from "./load.mjs";

await compile("report");
await load("test");
