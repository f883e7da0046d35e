// Times are told in the reader's own zone, with UTC on hover and in what is copied.
import { expect, live, test } from '../fixtures/test';

test.use({ timezoneId: 'America/New_York' });

const UTC = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/;

test('times are those of the reader, UTC on hover and in copies, and the choice is remembered', async ({ page, workplace }) => {
  await workplace.die();
  const letter = await workplace.letter();
  await page.goto(`/letters/${letter}`);
  await live(page);
  const time = page.locator('main time[data-utc]:not([data-age])').first();
  const utc = (await time.getAttribute('title')) ?? '';
  expect(utc).toMatch(UTC);
  const [hour] = (utc.split(' ')[1] ?? '').split(':');
  const there = (await time.textContent()) ?? '';
  expect(Number(there.split(':')[0])).not.toBe(Number(hour));
  const foot = page.getByRole('contentinfo');
  await expect(foot).toContainText('Times are America/New York');

  // What is copied is what others can read.
  await time.evaluate((shown) => getSelection()?.selectAllChildren(shown));
  await page.keyboard.press('Control+c');
  await page.goto('/letters');
  await live(page);
  const box = page.getByRole('textbox', { name: 'Filter', exact: true });
  await box.focus();
  await page.keyboard.press('Control+v');
  await expect(box).toHaveValue(utc.split(' ')[1] ?? '');
  await box.fill('');

  await foot.getByRole('button', { name: 'Show UTC' }).click();
  await expect(foot).toContainText('Times are UTC');
  await page.goto(`/letters/${letter}`);
  const same = page.locator(`main time[title="${utc}"]:not([data-age])`).first();
  await expect(same).toHaveText(utc.split(' ')[1] ?? '');
  await foot.getByRole('button', { name: 'Show America/New York' }).click();
  await expect(same).toHaveText(there);
});

test('a page that is read again tells the times of the reader', async ({ page, workplace }) => {
  await workplace.die();
  const letter = await workplace.letter();
  await page.goto(`/letters/${letter}`);
  await live(page);
  const times = page.locator('main time[data-utc]:not([data-age])');
  const [before] = await times.allTextContents();
  await page.evaluate(
    () =>
      new Promise((shown) => {
        addEventListener('dlo:shown', shown, { once: true });
        dispatchEvent(new Event('dlo:read-again'));
      }),
  );
  expect(await times.first().textContent()).toBe(before);
});
