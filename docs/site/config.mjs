// The site's frame: sections are folders, pages are their files; a link that leads nowhere fails.
import { readdirSync, readFileSync } from "node:fs";

const title = (file) => (/^#+ (.*)$/m.exec(readFileSync(file, "utf8"))?.[1] ?? file).trim();
const section = (text, folder, name) => ({
  text, collapsed: folder === "man",
  items: readdirSync(folder).filter((f) => f.endsWith(".md") && f !== "README.md" && f !== "index.md").sort()
    .map((f) => ({ text: name ? name(f) : title(`${folder}/${f}`), link: `/${folder}/${f.slice(0, -3)}` })),
});

export default {
  title: "foresee",
  description: "finds the concurrency bug that a green run did not hit",
  cleanUrls: false,
  markdown: { languageAlias: { trace: "ini", spec: "ini", edn: "clojure" } },
  rewrites: { "guide/README.md": "guide/index.md" },
  themeConfig: {
    search: { provider: "local" },
    nav: [{ text: "Guides", link: "/guide/" }],
    sidebar: [section("Guides", "guide"), section("Theory", "theory"), section("Manual", "man", (f) => f.slice(0, -3))],
  },
};
