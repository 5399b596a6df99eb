/** Beginnings of ids, without their vendor, of models that see pictures. */
const SEES = [
  "claude-3",
  "claude-opus",
  "claude-sonnet",
  "claude-haiku",
  "claude-4",
  "claude-5",
  "claude-fable",
  "gpt-4o",
  "gpt-4.1",
  "gpt-4.5",
  "gpt-4-turbo",
  "gpt-5",
  "chatgpt-4o",
  "o1",
  "o3",
  "o4",
  "gemini",
  "gemma-3",
  "gemma3",
  "grok-4",
  "llama-4",
  "llama4",
  "pixtral",
  "mistral-medium-3",
  "mistral-small-3",
  "llava",
  "bakllava",
  "moondream",
  "minicpm-v",
  "internvl",
  "kimi-vl",
  "kimi-k2.5",
  "qvq",
  "nova-lite",
  "nova-pro",
  "nova-premier",
];
/** The same ids where something in them says that they do not. */
const BLIND = [
  /^o1-(?:mini|preview)/,
  /^o3-mini/,
  /^claude-3-5-haiku/,
  /^gemini-embedding/,
  /codex-mini|embedding|audio|tts|realtime/,
];
/** A part of an id that says that its model sees. */
const SAYS_SO = /(?:^|[-_.:/])(?:vl|vision|\d+v|vlm)(?:$|[-_.:/\d])/;

/** Whether a model sees pictures, by its id; unknown ones do not. */
export function seesPictures(model: string): boolean {
  const bare = model.slice(model.lastIndexOf("/") + 1).toLowerCase();
  if (BLIND.some((one) => one.test(bare))) return false;
  return SEES.some((beginning) => bare.startsWith(beginning)) || SAYS_SO.test(bare);
}
