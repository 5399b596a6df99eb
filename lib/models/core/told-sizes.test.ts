import assert from "node:assert/strict";
import { test } from "node:test";
import { toldSizes } from "./told-sizes.js";

const ROWS: readonly (readonly [said: string, sizes: ReturnType<typeof toldSizes>])[] = [
  ["This model's maximum context length is 8192 tokens", { toldWindow: 8192 }],
  [
    "maximum context length is 131,072 tokens. However, your messages resulted in 140000 tokens",
    { toldWindow: 131_072 },
  ],
  [
    "maximum context length is 4097 tokens, however you requested 5000 tokens (3000 in the messages, 2000 in the completion)",
    { outputRoom: 1097, toldWindow: 4097 },
  ],
  ["prompt is too long: 210000 tokens > 200000 maximum", { toldWindow: 200_000 }],
  [
    "input length and max_tokens exceed context limit: 190000 + 20000 > 200000",
    { outputRoom: 10_000, toldWindow: 200_000 },
  ],
  ["max_tokens too large, available_tokens: 5000", { outputRoom: 5000 }],
  ["the request exceeds the available context size (n_ctx = 4096)", { toldWindow: 4096 }],
  ["max_model_len (32768) is exceeded", { toldWindow: 32_768 }],
  ["too many tokens", {}],
  ["context length exceeded by 12 tokens", {}],
];

for (const [said, sizes] of ROWS) {
  test(`"${said}" tells ${JSON.stringify(sizes)}`, () => {
    assert.deepEqual(toldSizes(said.toLowerCase()), sizes);
  });
}
