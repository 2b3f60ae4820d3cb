// Light or dark: what the system says until the reader chooses; the choice is remembered where storage is allowed.

import { byId } from "./dom";

const KEY = "sinew-theme";

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

export class Theme {
  private readonly system = matchMedia("(prefers-color-scheme: dark)");
  private choice: string | null = stored();

  constructor(private readonly changed: (dark: boolean) => void) {
    this.system.addEventListener("change", () => this.apply());
    byId("theme").addEventListener("click", () => this.toggle());
    this.apply();
  }

  get dark(): boolean {
    return this.choice ? this.choice === "dark" : this.system.matches;
  }

  toggle(): void {
    this.choice = this.dark ? "light" : "dark";
    try {
      localStorage.setItem(KEY, this.choice);
    } catch {
      // Not remembered then.
    }
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.dark ? "dark" : "light";
    byId("theme").textContent = this.dark ? "☀" : "☾";
    this.changed(this.dark);
  }
}
