// How the browser tests run. `make e2e` builds what they need and calls them.
import { defineConfig } from '@playwright/test';
import { PATIENCE_MS } from './fixtures/patience';
import type { Options } from './fixtures/test';

const plain = /\.plain\.spec\.ts$/;

export default defineConfig<object, Options>({
  globalSetup: './fixtures/company.ts',
  outputDir: 'test-results',
  // One office and one database for each worker; two are what two cores can carry.
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  retries: 0,
  // Nothing waits that long when all is well: a slow machine gives the same answers later.
  timeout: 3 * PATIENCE_MS,
  globalTimeout: 25 * 60_000,
  expect: { timeout: PATIENCE_MS },
  reporter: 'list',
  use: {
    actionTimeout: PATIENCE_MS,
    navigationTimeout: PATIENCE_MS,
    colorScheme: 'light',
    viewport: { width: 1440, height: 900 },
    trace: 'off',
    launchOptions: {
      executablePath: process.env.DLO_CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
  projects: [
    { name: 'journeys', testDir: 'journeys', testIgnore: plain },
    { name: 'without script', testDir: 'journeys', testMatch: plain, use: { javaScriptEnabled: false } },
    { name: 'screens', testDir: 'screens', use: { office: 'company' } },
    // Only in full: servers of their own, restarts, and every page in every look.
    { name: 'long', testDir: 'long' },
    { name: 'every look', testDir: 'screens', use: { office: 'company', looks: 'all' } },
    // In full, alone: it measures.
    { name: 'lighthouse', testDir: 'lighthouse', use: { office: 'company' } },
  ],
});
