// How the browser tests run. `make e2e` builds what they need and calls them.
import { defineConfig } from '@playwright/test';
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
  timeout: 60_000,
  // Long, because the machine is also compiling now and then; nothing waits that long when all is well.
  expect: { timeout: 15_000 },
  reporter: 'list',
  use: {
    actionTimeout: 15_000,
    navigationTimeout: 30_000,
    colorScheme: 'light',
    viewport: { width: 1440, height: 900 },
    trace: 'retain-on-failure',
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
  ],
});
