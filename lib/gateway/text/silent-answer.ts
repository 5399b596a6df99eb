/** Answers that say that nothing is to be said. */
const SILENT: ReadonlySet<string> = new Set(["[SILENT]", "SILENT", "NO_REPLY", "NO REPLY"]);

/** Whether a whole answer is one of them (gateway part, 11.5). A text that merely holds such a word is an answer. */
export const isSilentAnswer = (text: string): boolean => SILENT.has(text.trim().toUpperCase());

/** Whether a text that is still being written may become one. */
export const maySilence = (text: string): boolean => {
  const said = text.trim().toUpperCase();
  return [...SILENT].some((one) => one.startsWith(said));
};
