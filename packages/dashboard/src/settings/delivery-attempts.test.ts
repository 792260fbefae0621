import { expect, test } from 'vitest'
import { openWindow } from '../../../server/test/support/dashboard-session.ts'
import { barriersIn, buildDashboard, openChromium } from '../../../server/test/support/dashboard.ts'
import { startFileServer } from '../../../server/test/support/file-server.ts'
import { openPeople } from '../../../server/test/support/people.ts'
import { startWebhookReceiver } from '../../../server/test/support/webhook-receiver.ts'

await buildDashboard()
// A failed delivery stays pending for longer than the test runs.
const server = await startFileServer({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1', WEBHOOK_RETRY_DELAYS: '3600' })
const people = await openPeople(server)
const { call, headers } = await people.operator()
const browser = await openChromium()
const { url } = server

test('a delivery shows each attempt with its response, and a new attempt as soon as it happens', async () => {
  const answers = [
    { status: 500, body: '<b>out of order</b>' },
    { status: 200, body: 'thanks' },
  ]
  const receiver = await startWebhookReceiver(() => answers.shift()!)
  const { endpoint } = await call.webhooks.create.mutate({ url: `${receiver.url}/hook` })
  await server.store({ mailbox: 'qa' })
  const { page, complaints } = await openWindow(browser, { url, headers, reducedMotion: 'reduce' })
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('webhooks.attempts')) asked.push(request.url())
  })
  await page.goto(`/settings/webhooks/${endpoint.id}`)
  const delivery = page.getByRole('listitem').filter({ hasText: 'The endpoint responded with 500.' }).first()
  await delivery.waitFor()
  expect(asked).toEqual([])

  await delivery.locator('summary').click()
  const attempts = page.getByRole('list', { name: 'Attempts, newest first' }).getByRole('listitem')
  await attempts.first().waitFor()
  expect(await attempts.count()).toBe(1)
  expect(await attempts.first().innerText()).toMatch(
    /500\s+\d+ ms\s+The endpoint responded with 500\.\s+<b>out of order<\/b>/,
  )
  expect(asked).not.toEqual([])
  const posted = page.getByRole('figure').filter({ hasText: 'Request body' })
  expect(await posted.innerText()).toContain(receiver.received[0]!.messageId)

  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await expect.poll(() => attempts.count()).toBe(2)
  expect(await attempts.first().innerText()).toMatch(/200\s+\d+ ms\s+thanks/)
  expect(await attempts.last().innerText()).toContain('out of order')
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.waitForFunction((theme) => document.documentElement.dataset['theme'] === theme, colorScheme)
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      expect(await barriersIn(page)).toEqual([])
    }
  }
  expect(complaints).toEqual([])
})
