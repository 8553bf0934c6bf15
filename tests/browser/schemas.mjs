// Every JSON document against the published schema, every SARIF one against OASIS's.
import Ajv2020 from "ajv/dist/2020.js";
import Ajv04 from "ajv-draft-04";
import formats from "ajv-formats";
import { readFileSync, readdirSync } from "node:fs";

const root = process.argv[2];
const read = (path) => JSON.parse(readFileSync(path, "utf8"));
const options = { allErrors: false, strict: false, unicodeRegExp: false };
const findings = formats(new Ajv2020(options)).compile(read(`${root}/docs/formats/findings.schema.json`));
const sarifSchema = read("node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json");
const Ajv = sarifSchema.$schema.includes("draft-04") ? Ajv04 : (await import("ajv")).default;
const sarif = formats(new Ajv(options)).compile(sarifSchema);
let bad = 0;

function check(name, validate) {
  const ok = validate(read(name));
  console.log(`${ok ? "ok" : "not ok"} ${name} is valid`);
  if (!ok) { console.log(validate.errors); bad = 1; }
}

for (const name of readdirSync(".")) {
  if (name.endsWith(".sarif")) check(name, sarif);
  else if (name.endsWith(".json") && !name.startsWith("package")) check(name, findings);
}
process.exit(bad);
