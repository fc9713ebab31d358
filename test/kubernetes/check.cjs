// Reads a manifest as JSON and checks it against the API of Kubernetes: values and required fields by the
// schema that kubernetes-models has of it; names of fields, which that schema leaves open, by the same
// package's declarations. Prints the faults; the exit status is 1 if there are any.
const fs = require("fs");
const path = require("path");

const manifest = JSON.parse(fs.readFileSync(0, "utf8"));
const faults = [];

function schema() {
  const Model = require(`kubernetes-models/${manifest.apiVersion}`)[manifest.kind];
  try {
    new Model(manifest).validate();
  } catch (error) {
    faults.push(error.message);
  }
}

// The fields of a declared interface, and where the types that it names are declared.
function declared(file) {
  const text = fs.readFileSync(file, "utf8").replace(/\/\*\*.*?\*\//gs, "");
  const places = Object.fromEntries([...text.matchAll(/import \{ (\w+) \} from "([^"]+)"/g)]
    .map(([, name, from]) => [name, from.startsWith(".") ? path.resolve(path.dirname(file), `${from}.d.ts`) :
      `${require.resolve(from).replace(/\.js$/, "")}.d.ts`]));
  const body = text.match(/export interface \w+[^{]*\{\n(.*?)^\}/ms);
  const fields = body && Object.fromEntries([...body[1].matchAll(/^ {4}"([^"]+)"\??: (.*?);$/gms)]
    .map(([, name, type]) => [name, type]));
  return {fields, places};
}

function walk(value, file, at) {
  const {fields, places} = declared(file);
  if (!fields || value === null || typeof value !== "object") return;
  for (const [name, inner] of Object.entries(value)) {
    const type = fields[name];
    if (type === undefined) {
      faults.push(`${at}.${name} is no field`);
      continue;
    }
    const place = places[type.match(/\bI\w+/)?.[0]];
    if (!place) continue;
    const several = /^Array</.test(type) || /\[key: string\]/.test(type);
    const parts = several ? Object.entries(inner) : [["", inner]];
    parts.forEach(([key, part]) => walk(part, place, `${at}.${name}${key && `.${key}`}`));
  }
}

schema();
const types = path.dirname(require.resolve("kubernetes-models/package.json"));
walk(manifest, path.join(types, manifest.apiVersion, `${manifest.kind}.d.ts`), manifest.kind);
faults.forEach((fault) => console.log(fault));
process.exit(faults.length ? 1 : 0);
