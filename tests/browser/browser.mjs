// The report as a person sees it: real Chromium, from file://.
import { chromium } from "playwright-core";
import { statSync } from "node:fs";

const shots = process.argv[2];
let bad = 0;

function ok(condition, name, more = "") {
  console.log(`${condition ? "ok" : "not ok"} ${name}${more ? " # " + more : ""}`);
  if (!condition) bad = 1;
}

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"] });

async function open(name, hash = "", options = {}) {
  const page = await browser.newPage({ viewport: { width: 1300, height: 1000 }, ...options });
  const problems = [];
  page.on("console", (m) => { if (m.type() === "error") problems.push(m.text()); });
  page.on("pageerror", (e) => problems.push(String(e)));
  page.on("request", (r) => { if (!r.url().startsWith("file:") && !r.url().startsWith("blob:")) problems.push("request: " + r.url()); });
  page.on("dialog", (d) => { problems.push("dialog"); d.dismiss(); });
  const began = Date.now();
  await page.goto(`file://${process.cwd()}/${name}.html${hash}`);
  await page.waitForSelector("body[data-ready]", { timeout: 30000 });
  return { page, problems, took: Date.now() - began };
}

async function shot(page, name) {
  if (shots) await page.screenshot({ path: `${shots}/${name}.png` });
}

// The page follows its address, which changes a moment after a click or a key.
async function atStep(page, step) {
  return page.waitForSelector(`tr.current[data-step="${step}"]`, { timeout: 10000 }).then(() => true, () => false);
}

async function newsreader() {
  const { page, problems } = await open("newsreader");
  ok(await page.locator(".findings li").count() >= 2, "findings_are_listed");
  ok(await page.locator("table.witness tbody tr").count() > 0 || await page.locator(".detail").count() === 1, "a_finding_is_shown_whole");
  await page.locator(".findings li a", { hasText: "alternative-communication" }).first().click();
  await page.waitForSelector("h2 >> text=alternative-communication");
  ok(true, "a_click_selects_a_finding");
  await page.waitForFunction(() => location.hash.length > 1);
  const hash = await page.evaluate(() => location.hash);
  ok(/^#[0-9a-f]{8}$/.test(hash), "the_address_names_the_finding", hash);
  await page.locator("table.witness tbody tr").nth(1).click();
  ok(await atStep(page, 2), "a_click_selects_a_step");
  await page.keyboard.press("j");
  ok(await atStep(page, 3), "keys_go_from_step_to_step");
  ok(await page.locator("svg.sequence line.message").count() > 0, "the_message_sequence_is_drawn");
  const box = await page.locator("canvas").boundingBox();
  await page.locator("canvas").click({ position: { x: box.width / 2, y: 40 } });
  await page.waitForFunction(() => /must come/.test(document.querySelector(".picked")?.textContent ?? ""), null, { timeout: 10000 }).catch(() => null);
  ok(/must come before it/.test(await page.locator(".picked").textContent()), "a_click_on_an_event_tells_its_past_and_future");
  await page.evaluate(() => scrollTo(0, 0));
  await shot(page, "findings");
  await page.locator("canvas").scrollIntoViewIfNeeded();
  await shot(page, "space-time");
  ok(problems.length === 0, "nothing_goes_wrong_in_newsreader", problems.join("; "));
  await page.close();
  const linked = await open("newsreader", hash + "/2");
  ok(await atStep(linked.page, 2), "a_deep_link_opens_a_step");
  await linked.page.close();
}

async function reservoir() {
  const { page, problems } = await open("reservoir", "", { colorScheme: "dark" });
  await page.locator(".findings li a", { hasText: "property-violation" }).first().click();
  await page.waitForSelector("svg.graph .node", { timeout: 10000 }).catch(() => null);
  ok(await page.locator("svg.graph .node").count() >= 7, "the_lattice_is_drawn");
  ok(await page.locator("svg.graph .monitor").count() >= 2, "the_monitor_is_shown_along_the_violating_path");
  ok(await page.locator("table.witness td.note .mono").count() > 0, "values_and_monitor_are_shown");
  await page.locator("button[aria-label='first step']").click();
  await page.locator("button[aria-label='next step']").click();
  await atStep(page, 2);
  ok(await page.locator(".state mark").count() > 0, "changed_values_are_marked");
  await shot(page, "property");
  await page.locator("svg.graph").first().scrollIntoViewIfNeeded();
  await shot(page, "lattice");
  ok(problems.length === 0, "nothing_goes_wrong_in_reservoir", problems.join("; "));
  await page.close();
}

async function history() {
  const { page, problems } = await open("history");
  ok(await page.locator("svg.timeline .operation").count() >= 3, "operations_are_drawn_as_intervals");
  ok(await page.locator("svg.timeline .failing").count() === 1, "the_failing_operation_is_marked");
  ok(await page.locator("svg.timeline .forced").count() > 0, "forced_orders_are_drawn");
  await shot(page, "history");
  ok(problems.length === 0, "nothing_goes_wrong_in_history", problems.join("; "));
  await page.close();
}

async function explore() {
  const { page, problems } = await open("explore");
  ok(await page.locator("svg.sequence path.message").count() > 4, "the_messages_of_an_exploration_are_drawn");
  ok(await page.locator("svg.sequence path.message.witness").count() === 1, "the_answer_that_is_wrong_stands_out");
  ok(await page.locator("svg.timeline .failing").count() === 1, "the_history_of_an_exploration_is_beside_it");
  await page.locator("svg.sequence").first().scrollIntoViewIfNeeded();
  await shot(page, "explore");
  ok(problems.length === 0, "nothing_goes_wrong_in_explore", problems.join("; "));
  await page.close();
}

async function hostile() {
  const { page, problems } = await open("hostile");
  for (const link of await page.locator(".findings li a").all()) await link.click();
  ok(await page.evaluate(() => window.hacked) === undefined, "hostile_names_do_not_run");
  ok(await page.locator("img").count() === 0, "hostile_names_make_no_elements");
  ok((await page.locator("main").textContent()).includes("<script>window.hacked"), "hostile_names_are_shown_as_text");
  ok(problems.length === 0, "nothing_goes_wrong_in_hostile", problems.join("; ").slice(0, 300));
  await page.close();
}

async function million() {
  const size = statSync("million.html").size;
  ok(size < 10e6, "a_million_events_take_less_than_10_MB", `${size} bytes`);
  const { page, problems, took } = await open("million");
  // The aims are 3 s and 50 ms on a quiet machine; tests must not fail on a busy one.
  ok(took < 15000, "a_million_events_open", `${took} ms, aim 3000`);
  const frames = await page.evaluate(() => {
    const view = window.foreseeView, times = [];
    for (let i = 0; i < 40; i++) {
      if (i % 2) view.pan(20000, 0); else view.zoom(i % 4 ? 0.5 : 1.5, 600);
      times.push(view.frame);
    }
    return times;
  });
  frames.sort((a, b) => a - b);
  ok(frames[20] < 250, "a_million_events_pan", `aim 50, median ${frames[20].toFixed(1)} ms, worst ${frames[39].toFixed(1)} ms`);
  ok(problems.length === 0, "nothing_goes_wrong_in_million", problems.join("; "));
  await page.close();
}

for (const view of [newsreader, reservoir, history, explore, hostile, million]) {
  try { await view(); } catch (e) { ok(false, view.name, String(e).slice(0, 500)); }
}
await browser.close();
process.exit(bad);
