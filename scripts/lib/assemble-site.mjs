// Puts the site together: bundles the style sheet, names files by their content, copies public/,
// compresses, weighs. assemble-site.mjs STAGE SITE. Builds beside SITE and swaps at the end, so
// that a failure leaves the old site whole. Must not fetch anything.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import { bundle } from 'lightningcss';
import { minify } from 'terser';

const [stage, site] = process.argv.slice(2);
const next = path.join(stage, 'next');
const packageDir = path.join(next, 'pkg');
const bound = path.join(stage, 'bound');
// Without a budget the site is one for tests, which nobody waits for to be small.
const budgets = process.env.SITE_BUDGETS_KIB?.split(' ').map((one) => one.split('=')).map(([what, kib]) => [what, Number(kib)]);

// The browsers of the last two years, in Lightning CSS's notation. All of them know nesting,
// `@layer`, `oklch()` and `light-dark()`, which therefore pass through untouched.
const version = (major, minor = 0) => (major << 16) | (minor << 8);
const targets = { chrome: version(131), firefox: version(132), safari: version(18, 1), ios_saf: version(18, 1) };

const compressible = new Set(['.css', '.js', '.json', '.wasm', '.svg', '.html', '.txt', '.webmanifest', '.ico']);

const short = (hash) => hash.digest('base64url').replace(/[-_]/g, '').slice(0, 16);

// A file name that changes with the content can be cached for ever.
function placeHashed(kind, content) {
  const hash = short(createHash('sha256').update(content));
  fs.writeFileSync(path.join(packageDir, `dlo.${hash}.${kind}`), content);
  return `${kind}: ${hash}`;
}

// Scripts import each other by their names, so they keep these and stand in a folder that changes with them.
async function placeScripts() {
  const from = path.join(next, 'scripts');
  fs.copyFileSync('node_modules/idiomorph/dist/idiomorph.esm.js', path.join(from, 'idiomorph.js'));
  const hash = createHash('sha256');
  for (const file of [...filesBelow(from)].sort()) {
    fs.writeFileSync(file, await shrunk(file));
    hash.update(fs.readFileSync(file));
  }
  const named = short(hash);
  fs.renameSync(from, `${from}.${named}`);
  return named;
}

function styleSheet() {
  const { code, warnings } = bundle({ filename: 'style/main.css', minify: true, targets });
  for (const { message, loc } of warnings) {
    throw new Error(`${loc?.filename ?? 'style/main.css'}:${loc?.line ?? '?'}: ${message}`);
  }
  return code;
}

async function shrunk(file) {
  const { code } = await minify(fs.readFileSync(file, 'utf8'), { module: true });
  return code;
}

function* filesBelow(directory) {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const file = path.join(directory, entry.name);
    if (entry.isDirectory()) yield* filesBelow(file);
    else yield file;
  }
}

// The server sends these siblings to browsers that accept them, instead of compressing each time.
function compress(file) {
  const content = fs.readFileSync(file);
  const brotli = zlib.brotliCompressSync(content, {
    params: {
      [zlib.constants.BROTLI_PARAM_QUALITY]: zlib.constants.BROTLI_MAX_QUALITY,
      [zlib.constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });
  const gzip = zlib.gzipSync(content, { level: 9 });
  if (brotli.length < content.length) fs.writeFileSync(`${file}.br`, brotli);
  if (gzip.length < content.length) fs.writeFileSync(`${file}.gz`, gzip);
  return { plain: content.length, brotli: brotli.length };
}

// What is in the package is loaded by pages with islands alone; scripts and style sheet by every page.
function weigh(sizes) {
  const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
  const weights = { islands: 0, page: 0, css: 0 };
  for (const [file, { plain, brotli }] of sizes) {
    const isScript = file.startsWith(path.join(next, 'scripts'));
    if (!isScript && !file.startsWith(packageDir)) continue;
    console.error(`    ${path.relative(next, file)}  ${kib(plain)}, ${kib(brotli)} brotli`);
    if (file.endsWith('.css')) weights.css += brotli;
    else weights.islands += brotli;
    if (isScript) weights.page += brotli;
  }
  for (const [what, allowed] of budgets) {
    console.error(`    ${what}: ${kib(weights[what])} brotli of ${allowed} KiB allowed`);
    if (!(weights[what] <= allowed * 1024)) throw new Error(`${what} is over its budget (SITE_BUDGETS_KIB in scripts/build-site)`);
  }
}

async function assemble() {
  fs.rmSync(next, { recursive: true, force: true });
  fs.mkdirSync(packageDir, { recursive: true });
  fs.cpSync('public', next, { recursive: true });
  const hashes = [
    `scripts: ${await placeScripts()}`,
    placeHashed('js', await shrunk(path.join(bound, 'dlo.js'))),
    placeHashed('wasm', fs.readFileSync(path.join(bound, 'dlo.wasm'))),
    placeHashed('css', styleSheet()),
  ];
  const snippets = path.join(bound, 'snippets');
  if (fs.existsSync(snippets)) fs.cpSync(snippets, path.join(packageDir, 'snippets'), { recursive: true });
  const files = [...filesBelow(next)].filter((file) => compressible.has(path.extname(file)));
  if (budgets) weigh(files.map((file) => [file, compress(file)]));
  fs.writeFileSync(path.join(next, 'hash.txt'), `${hashes.join('\n')}\n`);
  fs.rmSync(site, { recursive: true, force: true });
  fs.renameSync(next, site);
}

try {
  await assemble();
} catch (error) {
  console.error(`assemble-site: ${error.message ?? error}`);
  process.exit(1);
}
