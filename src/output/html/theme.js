"use strict";
// Colours: as the system says, or as the reader chose. The choice is kept where the browser allows it.
const Theme = (() => {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const names = { auto: "automatic", light: "light", dark: "dark" };
  const next = { auto: "dark", dark: "light", light: "auto" };
  const listeners = [];
  const remember = (choice) => { try { localStorage.setItem("tcptrace-rs-theme", choice); } catch { /* a private window */ } };
  const recall = () => { try { return localStorage.getItem("tcptrace-rs-theme"); } catch { return null; } };
  let choice = "auto";
  function set(to) {
    choice = names[to] ? to : "auto";
    root.dataset.theme = choice;
    button.querySelector("span").textContent = names[choice];
    listeners.forEach((tell) => tell());
  }
  button.hidden = false;
  button.addEventListener("click", () => { set(next[choice]); remember(choice); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => listeners.forEach((tell) => tell()));
  set(recall() || "auto");
  return {
    changed: (tell) => listeners.push(tell),
    // Paper is white, whatever the screen is.
    paper: (on) => { root.dataset.theme = on ? "light" : choice; listeners.forEach((tell) => tell()); },
  };
})();
