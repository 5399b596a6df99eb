/** Whether a word of a command line is a task id, or the beginning of one: no text that a person writes looks like it. */
export const isTaskId = (word: string): boolean => /^t_[0-9a-f]{1,8}$/.test(word);
