/** Window of those who have not paid for a longer one (core part, 4.2). It holds for the request only. */
export const LONG_CONTEXT_TIER = 200_000;

/** A window below this is a misread number. */
const LEAST_WINDOW = 1_024;

/** What an overflow message, in lower case, tells about sizes in tokens: room for the answer, or the window. */
export function toldSizes(words: string): { outputRoom?: number; toldWindow?: number } {
  const outputRoom = roomIn(words);
  const toldWindow = windowIn(words);
  return {
    ...(outputRoom === undefined ? {} : { outputRoom }),
    ...(toldWindow === undefined ? {} : { toldWindow }),
  };
}

const ROOM = [
  /available[_ ]tokens?\s{0,3}[:=]?\s{0,3}([\d,_]{1,12})/,
  /only ([\d,_]{1,12}) (?:output )?tokens? (?:are |is )?(?:available|left|remaining)/,
];

/** The sum that several servers write: the prompt fits, what was asked for the answer does not. */
const SUM =
  /maximum context length (?:is|of) ([\d,_]{1,12}) tokens[\s\S]{0,200}?\(\s{0,2}([\d,_]{1,12}) (?:in the messages|of text input|in your prompt|from the input)[\s\S]{0,120}?([\d,_]{1,12}) (?:in the completion|for the completion|of tool input|in the output)/;
/** "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000". */
const PLUS = /max_tokens[^\d]{0,60}exceed[^\d]{0,40}([\d,_]{1,12}) \+ ([\d,_]{1,12}) > ([\d,_]{1,12})/;

function roomIn(words: string): number | undefined {
  for (const pattern of ROOM) {
    const room = numberIn(pattern.exec(words)?.[1]);
    if (room !== undefined) return room;
  }
  const sum = SUM.exec(words);
  const plus = PLUS.exec(words);
  const [window, prompt] = sum ? [numberIn(sum[1]), numberIn(sum[2])] : [numberIn(plus?.[3]), numberIn(plus?.[1])];
  return window !== undefined && prompt !== undefined && window - prompt > 0 ? window - prompt : undefined;
}

const WINDOW = [
  /maximum context (?:length|size|window) (?:is|of) ([\d,_]{1,12})/,
  /context (?:length|size|window|limit)(?: is| of|:| \(n_ctx\))? {0,2}(?:is {0,2})?(?:only {0,2})?\(?([\d,_]{1,12})\)? ?tokens/,
  /max_model_len[^\d]{0,20}([\d,_]{1,12})/,
  /\bn_ctx\b[^\d]{0,10}([\d,_]{1,12})/,
  /tokens? {0,2}> {0,2}([\d,_]{1,12}) {0,2}maximum/,
  /exceed context limit[^\d]{0,10}[\d,_]{1,12} \+ [\d,_]{1,12} > ([\d,_]{1,12})/,
  /maximum (?:number of )?(?:input )?tokens (?:allowed )?(?:is |\()([\d,_]{1,12})/,
];

function windowIn(words: string): number | undefined {
  for (const pattern of WINDOW) {
    const window = numberIn(pattern.exec(words)?.[1]);
    if (window !== undefined && window >= LEAST_WINDOW) return window;
  }
  return undefined;
}

function numberIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text.replace(/[,_]/g, ""));
  return Number.isSafeInteger(number) && number > 0 ? number : undefined;
}
