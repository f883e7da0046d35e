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
const budgetKib = process.env.SITE_BUDGET_KIB === undefined ? undefined : Number(process.env.SITE_BUDGET_KIB);

// The browsers of the last two years, in Lightning CSS's notation. All of them know nesting,
// `@layer`, `oklch()` and `light-dark()`, which therefore pass through untouched.
const version = (major, minor = 0) => (major << 16) | (minor << 8);
const targets = { chrome: version(131), firefox: version(132), safari: version(18, 1), ios_saf: version(18, 1) };

const compressible = new Set(['.css', '.js', '.json', '.wasm', '.svg', '.html', '.txt', '.webmanifest', '.ico']);

// A file name that changes with the content can be cached for ever.
function placeHashed(kind, content) {
  const hash = createHash('sha256').update(content).digest('base64url').replace(/[-_]/g, '').slice(0, 16);
  fs.writeFileSync(path.join(packageDir, `dlo.${hash}.${kind}`), content);
  return `${kind}: ${hash}`;
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

function weigh(sizes) {
  const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
  const code = { plain: 0, brotli: 0 };
  for (const [file, { plain, brotli }] of sizes) {
    if (!file.startsWith(packageDir)) continue;
    console.error(`    ${path.relative(next, file)}  ${kib(plain)}, ${kib(brotli)} brotli`);
    if (file.endsWith('.css')) continue;
    code.plain += plain;
    code.brotli += brotli;
  }
  console.error(`    wasm + JavaScript: ${kib(code.brotli)} brotli of ${budgetKib} KiB allowed`);
  if (!(code.brotli <= budgetKib * 1024)) {
    throw new Error(`the browser's part is over its budget (SITE_BUDGET_KIB in scripts/build-site)`);
  }
}

async function assemble() {
  fs.rmSync(next, { recursive: true, force: true });
  fs.mkdirSync(packageDir, { recursive: true });
  fs.cpSync('public', next, { recursive: true });
  fs.copyFileSync('node_modules/idiomorph/dist/idiomorph.esm.js', path.join(next, 'idiomorph.js'));
  // Modules alone: the names of classic scripts are those of the whole page.
  for (const name of ['document.js', 'idiomorph.js']) {
    fs.writeFileSync(path.join(next, name), await shrunk(path.join(next, name)));
  }
  const hashes = [
    placeHashed('js', await shrunk(path.join(bound, 'dlo.js'))),
    placeHashed('wasm', fs.readFileSync(path.join(bound, 'dlo.wasm'))),
    placeHashed('css', styleSheet()),
  ];
  const snippets = path.join(bound, 'snippets');
  if (fs.existsSync(snippets)) fs.cpSync(snippets, path.join(packageDir, 'snippets'), { recursive: true });
  const files = [...filesBelow(next)].filter((file) => compressible.has(path.extname(file)));
  if (budgetKib !== undefined) weigh(files.map((file) => [file, compress(file)]));
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
