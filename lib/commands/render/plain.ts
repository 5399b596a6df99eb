/** Control characters of foreign text shown as blanks: a title cannot move the cursor. */
export const plain = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, " ");

/** The same for texts of several lines. */
export const plainLines = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029]/g, " ");
