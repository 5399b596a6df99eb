import { load } from "./load.mjs";

await load("smoke");
