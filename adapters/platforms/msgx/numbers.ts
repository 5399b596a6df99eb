const DIGITS = 15;

/**
 * JSON in which long whole numbers are texts: ids of the platform are numbers of 64 bits, which numbers of this language are not. Only values
 * change, never what stands inside a text.
 */
export function quoteLongNumbers(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) => {
    const whole = /^-?\d+$/.test(token);
    return whole && token.replace("-", "").length > DIGITS ? `"${token}"` : token;
  });
}
