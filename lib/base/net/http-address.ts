/** Whether a text is the address of a server: http or https with a host, in a form that can be asked. */
export const isHttpAddress = (text: string): boolean => /^https?:\/\/[^/\s]/i.test(text) && URL.canParse(text);
