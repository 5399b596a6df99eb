import { render } from "preact";
import "./styles/main.css";
import { App } from "./app.js";

const root = document.querySelector("#app");
if (root) render(<App />, root);
