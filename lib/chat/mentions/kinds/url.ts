import { defineMention } from "../define.js";
import { pageAt } from "../page.js";

export default defineMention({
  name: "url",
  form: "word",
  detail: "the text of a web page: @url:https://…",
  make: async ({ forms }, { ctx }) => {
    const address = addressOf(forms.map(({ name }) => name));
    return address === "" ? { why: "missing URL, as in @url:https://example.com" } : pageAt(address, ctx);
  },
});

/** Without the sign that ends the sentence, but with the parenthesis that the address opens itself. */
function addressOf([whole = "", short = whole]: readonly string[]): string {
  const rest = whole.slice(short.length);
  const opens = short.split("(").length - short.split(")").length;
  return opens > 0 && rest.startsWith(")") ? `${short})` : short;
}
