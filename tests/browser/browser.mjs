// The report as a person sees it: real Chromium, from file://. Every kind of finding, fifty
// threads with long names, a thousand findings, a million events, a phone, the dark, keys, paper.
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
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, ...options });
  const problems = [];
  page.on("console", (m) => { if (m.type() === "error") problems.push(m.text()); });
  page.on("pageerror", (e) => problems.push(String(e)));
  page.on("request", (r) => { if (!r.url().startsWith("file:") && !r.url().startsWith("blob:")) problems.push("request: " + r.url()); });
  page.on("dialog", (d) => { problems.push("dialog"); d.dismiss(); });
  const began = Date.now();
  await page.goto(`file://${process.cwd()}/${name}.html${hash}`);
  await page.waitForSelector("body[data-ready]", { timeout: 60000 });
  return { page, problems, took: Date.now() - began };
}

async function shot(page, name) { if (shots) await page.screenshot({ path: `${shots}/${name}.png` }); }
const text = (page, selector) => page.locator(selector).first().textContent();
const step = async (page) => Number(await text(page, ".step .n b"));

// The picture fits the window, and nothing is wider than the page.
async function fits(page, name) {
  const r = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth - innerWidth, tall: document.documentElement.scrollHeight - innerHeight,
    picture: document.querySelector("#picture").getBoundingClientRect().top }));
  ok(r.wide <= 0 && r.tall <= 0 && r.picture < 400, `${name}_fits_the_window`, JSON.stringify(r));
}

// Every colour of text against what is behind it: 4.5 to 1.
async function contrast(page, name) {
  const poor = await page.evaluate(() => {
    const number = (c) => (c.match(/[\d.]+/g) ?? []).map(Number);
    const light = ([r, g, b]) => { const f = (v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }; return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b); };
    const behind = (e) => { for (; e; e = e.parentElement) { const c = number(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0.9) return c; } return [255, 255, 255]; };
    const out = [];
    for (const e of document.querySelectorAll("body *")) {
      if (![...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()) || e.closest("svg, [hidden], .print-only, .off, script, style, title") || !e.getClientRects().length) continue;
      const s = getComputedStyle(e), a = light(number(s.color)), b = light(behind(e)), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5 && !e.closest("button:disabled")) out.push(`${e.tagName}.${e.className} ${ratio.toFixed(2)}`);
    }
    return out;
  });
  ok(poor.length === 0, `${name}_has_contrast`, poor.slice(0, 4).join("; "));
}

async function deadlock() {
  const { page, problems } = await open("bank");
  await fits(page, "a_deadlock");
  ok(/transfer holds accounts and waits for audit_log; report holds audit_log and waits for accounts/.test(await text(page, "h1")), "the_sentence_names_threads_and_locks", await text(page, "h1"));
  ok(await page.locator("h1 .nm svg").count() === 2 && await page.locator("h1 .lk.c0").count() === 2 && await page.locator("h1 .lk.c1").count() === 2, "threads_have_shapes_and_locks_have_colours");
  ok(/transfer/.test(await text(page, ".heading")) && await page.locator(".heading").count() === 3, "involved_threads_come_first");
  ok(await page.locator("#picture .row").count() === 9 && await step(page) === 8, "the_page_opens_where_it_goes_wrong", `step ${await step(page)}`);
  ok(await page.locator("rect.wait").count() === 2 && await page.locator("#picture .waits-for").count() === 2, "both_waits_are_hatched_and_point_at_the_holder");
  ok(await page.locator(".ringpic .who").count() === 2 && /a closed ring/.test(await text(page, ".box header")), "the_ring_is_closed");
  ok(await page.locator("#picture tspan", { hasText: "earlier" }).count() >= 1, "what_moved_is_marked");
  const panes = await page.locator(".src .at").allTextContents();
  ok(panes.length === 2 && panes[0].startsWith("12") && panes[1].startsWith("21") && panes.every((p) => p.endsWith("waits")), "the_source_of_both_threads_is_shown", panes.join(" | "));
  await contrast(page, "light");
  await shot(page, "deadlock");
  await page.keyboard.press("ArrowLeft");
  ok(await step(page) === 7 && /no ring/.test(await text(page, ".box header")), "a_step_back_opens_the_ring");
  ok(/transfer waits for audit_log, held by report/.test(await text(page, ".say")), "the_step_says_who_holds_it", await text(page, ".say"));
  await page.keyboard.press("Home");
  ok(await step(page) === 0 && await page.locator("#picture .row:not(.fut)").count() === 0, "steps_to_come_are_faded");
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
  const said = await text(page, ".say"), hash = await page.evaluate(() => location.hash);
  ok(/^#[0-9a-f]{8}\/3$/.test(hash) && /transfer locks accounts/.test(said), "the_address_names_finding_and_step", `${hash} ${said}`);
  await page.keyboard.press("o");
  ok(/transfer locks accounts/.test(await text(page, ".say")) && (await page.locator("[data-which=observed][aria-pressed=true]").count()) === 1, "the_observed_run_keeps_the_event");
  ok(await page.locator("rect.wait").count() === 0, "nobody_waits_for_ever_in_the_observed_run");
  await shot(page, "deadlock-observed");
  const there = await page.evaluate(() => location.hash);
  await page.keyboard.press("o");
  await page.locator("[data-row='7'] .hit").click();
  ok(await step(page) === 7, "a_click_selects_a_step");
  await page.locator(".badge").click();
  ok(/checked step by step/.test(await text(page, ".pop")), "one_click_says_why_predicted");
  await page.keyboard.press("Escape");
  ok(await page.locator(".pop").count() === 0, "escape_closes_it");
  await page.locator(".wh button").first().click();
  ok(await step(page) === 3, "a_place_leads_to_its_step");
  await page.keyboard.press("t");
  ok(await page.locator("table.all tbody tr").first().isVisible(), "all_steps_are_in_a_table");
  await page.keyboard.press("?");
  ok(await page.locator("[role=dialog]").count() === 1, "question_mark_shows_legend_and_keys");
  await shot(page, "legend");
  await page.keyboard.press("Escape");
  ok(problems.length === 0, "nothing_goes_wrong_in_a_deadlock", problems.join("; "));
  await page.close();
  const linked = await open("bank", there);
  ok((await linked.page.locator("[data-which=observed][aria-pressed=true]").count()) === 1 && /transfer locks accounts/.test(await text(linked.page, ".say")), "a_link_opens_run_and_step", there);
  await linked.page.close();
}

async function dark() {
  const { page, problems } = await open("bank", "", { colorScheme: "dark" });
  ok(await page.evaluate(() => document.documentElement.dataset.theme) === "dark", "the_dark_is_followed");
  await contrast(page, "dark");
  await shot(page, "deadlock-dark");
  await page.keyboard.press("d");
  ok(await page.evaluate(() => document.documentElement.dataset.theme) === "light", "d_turns_the_light_on");
  ok(problems.length === 0, "nothing_goes_wrong_in_the_dark", problems.join("; "));
  await page.close();
}

async function phone() {
  for (const name of ["bank", "fifty", "race", "reservoir", "newsreader", "history", "explore", "thousand"]) {
    const { page, problems } = await open(name, "", { viewport: { width: 380, height: 800 } });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    ok(wide <= 380 && problems.length === 0, `no_sideways_scrolling_on_a_phone_${name}`, `${wide} ${problems.join("; ")}`);
    if (name === "bank") {
      await shot(page, "deadlock-phone");
      await page.locator(".mob").click();
      ok(await page.locator(".list").isVisible(), "the_list_opens_on_a_phone");
    }
    await page.close();
  }
}

async function paper() {
  const { page, problems } = await open("bank", "", { colorScheme: "dark" });
  await page.emulateMedia({ media: "print" });
  const seen = await page.evaluate(() => { const on = (s) => !!document.querySelector(s)?.getClientRects().length; return [on("#picture svg"), on(".print-only table"), on(".list"), on(".bar"), getComputedStyle(document.body).backgroundColor]; });
  ok(seen[0] && seen[1] && !seen[2] && !seen[3] && seen[4] === "rgb(255, 255, 255)", "paper_has_picture_and_steps", seen.join(" "));
  const pdf = await page.pdf({ format: "A4" });
  ok(pdf.length > 10000, "it_prints", `${pdf.length} bytes`);
  ok(problems.length === 0, "nothing_goes_wrong_on_paper", problems.join("; "));
  await page.close();
}

async function fifty() {
  const { page, problems } = await open("fifty");
  await fits(page, "fifty_threads");
  ok(await page.locator(".heading").count() === 3 && /49 more/.test(await text(page, ".heading.fold")), "other_threads_are_folded");
  ok(await page.locator("#picture .row").count() < 16, "their_steps_are_folded", `${await page.locator("#picture .row").count()} rows`);
  const boxes = await page.locator(".heading text.w").evaluateAll((l) => l.map((e) => { const b = e.getBoundingClientRect(); return [b.left, b.right]; }));
  ok(boxes[0][1] < boxes[1][0] && boxes[1][1] <= boxes[2][0] + 2, "long_names_do_not_touch", JSON.stringify(boxes));
  ok(/_with_a_name_that_is_much_longer_than_any_lane/.test(await text(page, ".heading title")), "the_whole_name_is_a_tooltip");
  await page.locator(".heading.fold").click();
  ok(await page.locator(".pop.fold").isVisible(), "a_click_lists_the_folded");
  ok(problems.length === 0, "nothing_goes_wrong_with_fifty_threads", problems.join("; "));
  await page.reload();
  await page.waitForSelector("body[data-ready]");
  await shot(page, "fifty-threads");
  await page.close();
}

async function race() {
  const { page, problems } = await open("race");
  await fits(page, "a_race");
  const rows = page.locator("#picture .row"), n = await rows.count();
  const y = await rows.evaluateAll((l) => l.slice(-2).map((e) => e.querySelector("rect.dot.bad").getBoundingClientRect().top));
  ok(n >= 2 && y[0] === y[1], "the_two_accesses_stand_on_one_line", y.join(" "));
  ok(/nothing orders these two/.test(await text(page, ".gap text")), "the_missing_order_is_a_gap");
  ok(await page.locator(".part .tv.x").count() === 3, "no_lock_and_no_order_is_said");
  await shot(page, "race");
  ok(problems.length === 0, "nothing_goes_wrong_in_a_race", problems.join("; "));
  await page.close();
}

async function property() {
  const { page, problems } = await open("reservoir");
  await fits(page, "a_property");
  await page.locator(".it", { hasText: "f1" }).first().click();
  ok(await page.locator("path.curve").count() >= 4, "variables_are_step_curves");
  ok((await page.locator(".verdict.x:not(.fut)").count()) === 1, "the_property_is_broken_at_one_step");
  const parts = await page.locator(".formula .part").evaluateAll((l) => l.map((e) => e.textContent));
  ok(parts[0] === "alwaysfalse" && parts.some((p) => /^qtrue$/.test(p)) && parts.some((p) => /^rfalse$/.test(p)), "the_formula_has_its_parts", parts.join(" | "));
  await page.keyboard.press("ArrowLeft");
  ok((await page.locator(".formula .part").first().textContent()) !== "alwaysfalse", "before_that_it_is_not_broken");
  await page.keyboard.press("End");
  await shot(page, "property");
  await page.locator("[data-tab=runs]").click();
  ok(await page.locator("svg.graph .node").count() >= 7 && await page.locator("svg.graph .edge.observed").count() > 0 && await page.locator("svg.graph .edge.witness").count() > 0, "all_runs_are_a_lattice_with_both_paths");
  await shot(page, "lattice");
  ok(problems.length === 0, "nothing_goes_wrong_in_a_property", problems.join("; "));
  await page.close();
}

async function heldLocks() {
  const { page, problems } = await open("tank");
  await page.locator(".it", { hasText: "pump_needs_valve" }).first().click();
  const held = await page.locator(".property .held").evaluateAll((l) => l.map((e) => e.textContent));
  ok(held.length === 2 && held.some((t) => /controller holds pump/.test(t)) && held.some((t) => /operator holds valve/.test(t)), "held_locks_are_in_the_picture_of_a_property", held.join(" | "));
  await shot(page, "property-locks");
  await page.keyboard.press("o");
  const rows = await page.locator(".property .row").count();
  ok(rows === 4, "the_observed_run_shows_what_the_property_speaks_of", `${rows}`);
  ok(problems.length === 0, "nothing_goes_wrong_with_held_locks", problems.join("; "));
  await page.close();
}

async function channels() {
  const { page, problems } = await open("newsreader");
  ok(await page.locator(".it").count() >= 2, "findings_are_listed");
  await page.locator(".it", { hasText: "can be taken by" }).first().click();
  ok(await page.locator("#picture line.message").count() > 0, "a_message_is_an_arrow");
  await shot(page, "channels");
  await page.locator(".it").first().click();
  ok(await page.locator("rect.wait").count() >= 1, "an_observed_wait_is_hatched");
  await page.locator("[data-tab=whole]").click();
  await page.locator(".space canvas").click({ position: { x: 400, y: 60 } });
  ok(/must come before it/.test(await text(page, ".picked")), "an_event_of_the_whole_run_tells_its_past_and_future");
  await page.locator(".hunt input").fill("receive");
  await page.keyboard.press("Enter");
  ok(/^receive/.test(await text(page, ".picked")), "the_run_can_be_searched", await text(page, ".picked"));
  await shot(page, "whole-run");
  ok(problems.length === 0, "nothing_goes_wrong_with_channels", problems.join("; "));
  await page.close();
}

async function others() {
  for (const [name, words] of [["three-locks", "holds"], ["send-under-lock", "send"], ["signal-before-wait", "waits"], ["observed", "holds"], ["closed", "close"], ["misuse", "unlocked by a thread"], ["too-early", "before"], ["transactions", "."]]) {
    const { page, problems } = await open(name);
    ok(new RegExp(words).test(await text(page, "h1")) && await page.locator("#picture .row, #picture .none, #picture .operation, #picture .node").count() > 0 && problems.length === 0, `${name}_is_drawn`, problems.join("; "));
    await fits(page, name.replace(/-/g, "_"));
    if (name === "three-locks") ok(await page.locator(".ringpic .who").count() === 3, "three_threads_make_a_ring_of_three");
    if (name === "misuse") ok(await page.locator("h1 .lk").count() === 1 && await page.locator("rect.dot.bad").count() === 1, "a_misuse_is_red_and_a_file_is_no_lock");
    if (name === "too-early") ok(await page.locator("rect.dot.bad").count() === 2, "too_early_and_too_late_are_red");
    if (name === "observed") ok(await page.locator("rect.wait").count() === 2 && await page.locator(".seg:visible").count() === 0, "an_observed_deadlock_shows_its_own_run");
    await page.close();
  }
}

async function history() {
  const { page, problems } = await open("history");
  await fits(page, "a_history");
  ok(await page.locator(".history .operation").count() === 6, "every_operation_is_a_bar", `${await page.locator(".history .operation").count()}`);
  ok(await page.locator(".history .operation.failing").count() === 1, "the_failing_operation_is_red");
  ok((await page.locator(".ord li").allTextContents()).length === 4, "the_longest_order_is_numbered");
  ok(/:process 0, :type :invoke, :f :read/.test(await text(page, ".src .at")), "the_recorded_line_is_shown", await text(page, ".src .at"));
  ok((await page.locator(".ord .then").allTextContents()).join(" ") === "→ 3 → 5 → 7", "the_state_after_each_operation_is_told");
  ok(await page.locator(".history .state").count() === 3, "the_state_is_drawn_along_the_order");
  await shot(page, "history");
  await page.locator("[data-op='1'] rect").hover();
  ok(await page.locator(".history.peeking .partial circle").count() === 3 && /A longest order with cas 3 5/.test(await text(page, ".box header")), "hovering_shows_an_order_that_has_the_operation");
  await shot(page, "history-partial");
  await page.locator("[data-op='3'] rect").hover();
  ok(/No order has read=5/.test(await text(page, ".box header")) && await page.locator(".partial circle").count() === 0, "hovering_the_failing_one_says_that_there_is_none");
  await page.locator("h1").hover();
  ok(/The longest order that works/.test(await text(page, ".box header")) && await page.locator(".history.peeking").count() === 0, "it_goes_when_the_pointer_does");
  await page.locator("[data-op='0']").focus();
  ok(/A longest order with write 3/.test(await text(page, ".box header")), "the_keyboard_shows_it_too");
  ok(problems.length === 0, "nothing_goes_wrong_in_a_history", problems.join("; "));
  await page.close();
}

async function explore() {
  const { page, problems } = await open("explore");
  await fits(page, "an_exploration");
  ok(await page.locator(".messages path.message").count() >= 4, "messages_are_arrows");
  ok(await page.locator(".messages path.wrong").count() === 1, "the_wrong_answer_stands_out");
  ok(await page.locator(".messages path.undelivered").count() >= 1, "what_was_not_delivered_is_dotted");
  ok(await page.locator(".clients .failing").count() === 1, "the_clients_history_is_beside_it");
  ok(/\d+ of \d+ (schedules show|steps lead to) it/.test(await text(page, ".ov")), "how_many_schedules_show_it", await text(page, ".ov"));
  ok((await page.locator(".src .at").allTextContents()).some((t) => /read\(\)/.test(t)), "the_harness_is_quoted");
  await shot(page, "explore");
  ok(problems.length === 0, "nothing_goes_wrong_in_an_exploration", problems.join("; "));
  await page.close();
}

async function thousand() {
  const { page, problems, took } = await open("thousand");
  const n = await page.locator("*").count();
  ok(await page.locator(".it").count() <= 200 && n < 6000, "a_thousand_findings_are_not_a_thousand_elements", `${n} elements, ${took} ms`);
  ok(await page.locator(".list h2").count() > 1, "they_are_grouped_by_rule_and_file");
  await page.keyboard.press("/");
  await page.keyboard.type("v777");
  ok(await page.locator(".it").count() === 1, "search_finds_one");
  await page.keyboard.press("Escape");
  await page.keyboard.press("j");
  ok(/v777/.test(await text(page, "h1")), "j_goes_to_the_next_that_is_listed", await text(page, "h1"));
  ok(await page.locator("#picture .row").count() <= 71, "long_witnesses_are_folded");
  ok(problems.length === 0, "nothing_goes_wrong_with_a_thousand", problems.join("; "));
  await page.close();
}

async function hostile() {
  const { page, problems } = await open("hostile");
  for (const item of await page.locator(".it").all()) { await item.click(); await page.keyboard.press("t"); }
  ok(await page.evaluate(() => window.hacked) === undefined, "hostile_names_do_not_run");
  ok(await page.locator("img").count() === 0, "hostile_names_make_no_elements");
  ok((await page.locator("#app").textContent()).includes("<script>window.hacked"), "hostile_names_are_shown_as_text");
  ok(problems.length === 0, "nothing_goes_wrong_with_hostile_names", problems.join("; ").slice(0, 300));
  await page.close();
}

async function million() {
  const size = statSync("million.html").size;
  ok(size < 10e6, "a_million_events_take_less_than_10_MB", `${size} bytes`);
  const { page, problems, took } = await open("million");
  // The aims are 3 s and 50 ms on a quiet machine; tests must not fail on a busy one.
  ok(took < 30000, "a_million_events_open", `${took} ms, aim 3000`);
  ok(await page.locator("*").count() < 3000 && await page.locator("canvas.strip").count() === 1, "a_million_events_are_no_elements");
  await shot(page, "million");
  await page.locator("[data-tab=whole]").click();
  await page.waitForFunction(() => window.foreseeView);
  const frames = await page.evaluate(() => {
    const view = window.foreseeView, times = [];
    for (let i = 0; i < 40; i++) { if (i % 2) view.pan(20000, 0); else view.zoom(i % 4 ? 0.5 : 1.5, 600); times.push(view.frame); }
    return times;
  });
  frames.sort((a, b) => a - b);
  ok(frames[20] < 250, "a_million_events_pan", `aim 50, median ${frames[20].toFixed(1)} ms, worst ${frames[39].toFixed(1)} ms`);
  ok(problems.length === 0, "nothing_goes_wrong_with_a_million", problems.join("; "));
  await page.close();
}

async function keyboard() {
  const { page } = await open("bank");
  const names = [];
  for (let i = 0; i < 24; i++) {
    await page.keyboard.press("Tab");
    names.push(await page.evaluate(() => { const e = document.activeElement; return e.getAttribute("aria-label") || e.textContent.trim().slice(0, 24) || e.tagName; }));
  }
  ok(["Step", "next step", "Legend and keys", "Steps", "Observed"].every((n) => names.includes(n)), "every_control_is_reached_with_tab", names.join(" | "));
  ok(await page.evaluate(() => [...document.querySelectorAll("button, input")].every((e) => (e.getAttribute("aria-label") || e.textContent || "").trim())), "every_control_has_a_name");
  await page.close();
}

async function nothing() {
  const { page, problems } = await open("empty");
  ok(/No findings/.test(await text(page, "main")) && problems.length === 0, "no_findings_are_said", problems.join("; "));
  await page.close();
}

const only = process.env.ONLY?.split(",");
for (const view of [deadlock, dark, phone, paper, keyboard, fifty, race, property, heldLocks, channels, others, history, explore, thousand, hostile, million, nothing]) {
  if (only && !only.includes(view.name)) continue;
  try { await view(); } catch (e) { ok(false, view.name, String(e).slice(0, 500)); }
}
await browser.close();
process.exit(bad);
