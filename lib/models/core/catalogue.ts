/** Context windows of well-known hosted models, by the beginning of the id without its vendor. The longest beginning wins. */
const WINDOWS: Readonly<Record<string, number>> = {
  "gpt-4.1": 1_047_576,
  "gpt-4o": 128_000,
  "gpt-4-turbo": 128_000,
  "gpt-5": 400_000,
  o1: 200_000,
  o3: 200_000,
  "o4-mini": 200_000,
  claude: 200_000,
  "gemini-1.5": 1_048_576,
  "gemini-2": 1_048_576,
  "gemini-3": 1_048_576,
  "grok-3": 131_072,
  "grok-4": 256_000,
  "deepseek-chat": 128_000,
  "deepseek-reasoner": 128_000,
  "deepseek-v3": 128_000,
  "kimi-k2": 262_144,
  "minimax-m2": 196_608,
  "qwen3-coder": 262_144,
  "qwen3-max": 262_144,
  "glm-4.6": 200_000,
  "mistral-large": 131_072,
};

/** Window of a hosted model in tokens, or undefined when it is not in the catalogue. */
export function catalogueWindow(model: string): number | undefined {
  const bare = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  const name = Object.keys(WINDOWS)
    .filter((beginning) => bare.startsWith(beginning))
    .sort((a, b) => b.length - a.length)[0];
  return name === undefined ? undefined : WINDOWS[name];
}
