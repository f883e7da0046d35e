// Reads what the test runners reported: nextest's JUnit file and Playwright's JSON.
//
// report.mjs count FILE…        prints "PASSED FAILED SKIPPED" of each file that is there
// report.mjs failures LINES FILE…  prints each failed test by name with the end of what it said, in about so
//                               many lines; a file that ends with .log is that of a failed check
//
// A test that passes only when it is run again counts as failed.
import fs from 'node:fs';
import path from 'node:path';
import { parseXml } from '@rgrove/parse-xml';

const WIDEST = 240;
// What a compiler or a package manager says while all is well.
const PROGRESS = /^\s*(Compiling|Checking|Downloading|Downloaded|Updating|Locking|Fresh|Blocking|Finished|Running|Documenting|Adding|==>)/;
// eslint-disable-next-line no-control-regex
const plain = (text) => text.replace(/\x1b\[[0-9;]*m/g, '');
const linesOf = (text) => plain(text).split('\n').map((line) => line.trimEnd().slice(0, WIDEST)).filter(Boolean);

const named = (node, name) => node.children.filter((child) => child.name === name);

/** What a panic says: its own lines, the last of them when there are several, without the backtrace. */
function panicOf(text) {
  const lines = linesOf(text);
  const end = lines.findIndex((line) => /^(stack backtrace:|note: run with `RUST_BACKTRACE)/.test(line));
  const said = end < 0 ? lines : lines.slice(0, end);
  const start = said.findLastIndex((line) => / panicked at /.test(line));
  return start < 0 ? said : said.slice(start);
}

function* junitTests(file) {
  const { root } = parseXml(fs.readFileSync(file, 'utf8'));
  for (const suite of named(root, 'testsuite')) {
    for (const test of named(suite, 'testcase')) {
      const faults = ['failure', 'error', 'flakyFailure', 'flakyError', 'rerunFailure'].flatMap((kind) => named(test, kind));
      const texts = [...faults, test].flatMap((node) => [...named(node, 'system-err'), ...named(node, 'system-out')]);
      const [fault] = faults;
      yield {
        name: `${suite.attributes.name} ${test.attributes.name}`,
        outcome: fault ? 'failed' : named(test, 'skipped').length > 0 ? 'skipped' : 'passed',
        says: () => {
          const said = texts.map((node) => panicOf(node.text)).filter((lines) => lines.length > 0);
          const panic = said.find((lines) => / panicked at /.test(lines[0])) ?? said[0]?.slice(-12) ?? [];
          return [fault.attributes.type, ...(panic.length > 0 ? panic : linesOf(fault.attributes.message ?? fault.text))];
        },
      };
    }
  }
}

function* playwrightTests(file) {
  const { suites, errors } = JSON.parse(fs.readFileSync(file, 'utf8'));
  const specsOf = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specsOf)];
  for (const spec of suites.flatMap(specsOf)) {
    for (const test of spec.tests) {
      const messages = test.results.flatMap((result) => result.errors.map(({ message }) => message ?? ''));
      yield {
        name: `${spec.file} [${test.projectName}] ${spec.title}`,
        outcome: { expected: 'passed', skipped: 'skipped' }[test.status] ?? 'failed',
        says: () => messages.flatMap(linesOf),
      };
    }
  }
  for (const { message } of errors ?? []) {
    yield { name: 'Playwright', outcome: 'failed', says: () => linesOf(message ?? '') };
  }
}

/** A check that failed: from its first word of fault on. */
function* checks(file) {
  const lines = linesOf(fs.readFileSync(file, 'utf8')).filter((line) => !PROGRESS.test(line));
  const first = lines.findIndex((line) => /^(error|warning|Diff in|fatal)|:\d+:|FAILED/.test(line));
  yield { name: path.basename(file, '.log'), outcome: 'failed', says: () => lines.slice(Math.max(first, 0)) };
}

function testsOf(file) {
  if (!fs.existsSync(file)) return [];
  if (file.endsWith('.log')) return [...checks(file)];
  return [...(file.endsWith('.xml') ? junitTests(file) : playwrightTests(file))];
}

function count(files) {
  const tests = files.flatMap(testsOf);
  const of = (outcome) => tests.filter((test) => test.outcome === outcome).length;
  console.log(of('passed'), of('failed'), of('skipped'));
}

function failures(most, files) {
  const failed = files.flatMap(testsOf).filter(({ outcome }) => outcome === 'failed');
  const each = Math.min(12, Math.max(0, Math.floor(most / failed.length) - 1));
  const shown = failed.slice(0, most);
  for (const { name, says } of shown) {
    console.log(`FAILED ${name}`.slice(0, WIDEST));
    for (const line of says().slice(0, each)) console.log(`    ${line}`);
  }
  if (shown.length < failed.length) console.log(`… and ${failed.length - shown.length} more`);
}

const [command, ...rest] = process.argv.slice(2);
if (command === 'count') count(rest);
else if (command === 'failures') failures(Number(rest[0]), rest.slice(1));
else throw new Error(`report.mjs does not know '${command}'; it knows count and failures`);
